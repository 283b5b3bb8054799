import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import type { MaybePromise } from '#process/maybe_promise'

/** What a credential is bound to besides its scopes, as JSON: `{ workspace_id: 7 }`. */
export type CredentialContext = Readonly<Record<string, any>>

export type ContextMatch = (context: CredentialContext) => boolean

export interface ContextChoice {
  /** What a form sends; empty for no context. */
  value: string
  label: string
  selected: boolean
}

/** What tokens and grants can be bound to, in the words of the feature `credentialContexts`. */
export interface CredentialContexts {
  readonly label: string
  /** Key of the words that say what the choice means. */
  readonly hint: string
  /** The person's choices; with fewer than two there is no question. */
  choices(
    ctx: HttpContext,
    owner: Owner,
    before?: readonly (CredentialContext | null)[]
  ): Promise<ContextChoice[]>
  /** The default context of a new credential: where the person works now. */
  current(ctx: HttpContext): Promise<CredentialContext | null>
  /** Names of contexts in lists of a person's credentials; null where there is no choice. */
  names(owner: Owner): Promise<(context: CredentialContext | null) => string | null>
  /** The stored context for a choice, or null. */
  read(value: string): CredentialContext | null
  /** Whether the owner may have such credentials now. Asked again when one has been stored, to wait for a removal under way. */
  allows(owner: Owner, context: CredentialContext | null): Promise<boolean>
  /** What introspection tells of a context. */
  claims(context: CredentialContext | null): Promise<Record<string, unknown>>
}

/** Called after a credential is stored: whether its owner may keep it. If not, `end` ends it. */
export async function settleContext(
  contexts: CredentialContexts | undefined,
  owner: Owner,
  context: CredentialContext | null,
  end: () => MaybePromise<unknown>
): Promise<boolean> {
  let allowed = false
  try {
    allowed = (await contexts?.allows(owner, context)) ?? true
  } finally {
    if (!allowed) {
      await end()
    }
  }
  return allowed
}

/** A store of credentials with contexts; `manager.credentialHolders` has them. */
export interface CredentialHolder {
  /** Ends the owner's credentials whose context matches, in the caller's transaction. */
  endWhere(owner: Owner, matches: ContextMatch, trx: TransactionClientContract): MaybePromise<void>
}
