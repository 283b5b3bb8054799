import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import type { MaybePromise } from '#process/maybe_promise'

/** What a credential is bound to beside its scopes, e.g. `{ workspace_id: 7 }`. JSON. */
export type CredentialContext = Readonly<Record<string, any>>

/** One of the contexts that a person can choose for a credential. */
export interface ContextChoice {
  /** What a form sends; empty for no context. */
  value: string
  label: string
  selected: boolean
}

/**
 * What tokens and grants can be bound to. The feature that registers itself as
 * `credentialContexts` says what a person can choose, and what a choice means.
 */
export interface CredentialContexts {
  /** Key of the words that ask for the choice. */
  readonly label: string

  /** Key of the words that say what the choice means. */
  readonly hint: string

  /** What the person of a request can choose among; fewer than two: there is nothing to choose. */
  choices(
    ctx: HttpContext,
    owner: Owner,
    before?: readonly (CredentialContext | null)[]
  ): Promise<ContextChoice[]>

  /** What a credential is bound to that is made without a choice: where the person of the request works now. */
  current(ctx: HttpContext): Promise<CredentialContext | null>

  /** What lists of a person's credentials call the context of each; null where there is nothing to choose. */
  names(owner: Owner): Promise<(context: CredentialContext | null) => string | null>

  /** What is kept for a choice; null for no context. */
  read(value: string): CredentialContext | null

  /** Whether the owner may have credentials with this context now. Asked again when one has been stored, which waits for a removal that is under way. */
  allows(owner: Owner, context: CredentialContext | null): Promise<boolean>

  /** What introspection tells of a context. */
  claims(context: CredentialContext | null): Promise<Record<string, unknown>>
}

/**
 * Asked once a credential is stored: whoever lost the context meanwhile has ended what
 * was stored by then, and `end` ends what was stored after.
 *
 * @returns whether the owner may keep it
 */
export async function settleContext(
  contexts: CredentialContexts | undefined,
  owner: Owner,
  context: CredentialContext | null,
  end: () => MaybePromise<unknown>
): Promise<boolean> {
  let allowed = context === null
  try {
    allowed ||= (await contexts?.allows(owner, context)) ?? true
  } finally {
    if (!allowed) {
      await end()
    }
  }
  return allowed
}

/** A store of credentials with contexts; `manager.credentialHolders` has them. */
export interface CredentialHolder {
  /** Ends the credentials of an owner whose context matches, in the transaction of whoever asks. */
  endWhere(
    owner: Owner,
    matches: (context: CredentialContext) => boolean,
    trx: TransactionClientContract
  ): Promise<void>
}
