import type { HttpContext } from '@adonisjs/core/http'

import type { ContextChoice } from '#auth/credential_contexts'
import { AccessDenied, InvalidRequest } from '#auth/errors'
import type { Services } from '#oauth2/authorization_server'
import type { Decision } from '#oauth2/authorize/code_issuer'
import type { UserKey } from '#oauth2/tokens/token_store'
import type { GrantContext, GrantRecord } from '#oauth2/user_grants/grant_store'

/** What an approval is for, where the application lets a person choose, e.g. a workspace. The person does, and no client. */
export class ChosenContexts {
  constructor(protected services: Services<'tokens' | 'manager'>) {}

  get #contexts() {
    return this.services.manager.feature('credentialContexts')
  }

  /** What a page asks; null when there is nothing to choose. */
  async question(
    ctx: HttpContext,
    user: UserKey,
    grants: readonly GrantRecord[] = []
  ): Promise<{ label: string; hint: string; choices: ContextChoice[] } | null> {
    const contexts = this.#contexts
    const before = grants.map(({ context }) => context)
    const choices = (await contexts?.choices(ctx, user, before)) ?? []
    return contexts && choices.length > 1
      ? { label: contexts.label, hint: contexts.hint, choices }
      : null
  }

  /**
   * The context that a person has decided for.
   *
   * @throws {InvalidRequest} when it is none of theirs
   */
  async read(user: UserKey, { context, choice }: Decision): Promise<GrantContext | null> {
    const contexts = this.#contexts
    const chosen = choice === undefined ? (context ?? null) : (contexts?.read(choice) ?? null)
    if (contexts && !(await contexts.allows(user, chosen))) {
      throw new InvalidRequest('The context is not one that the user can choose.')
    }
    return chosen
  }

  /**
   * Asked once an approval is stored: whoever lost the context meanwhile has ended what
   * was stored by then, and here goes what was stored after.
   *
   * @throws {AccessDenied} when the user cannot choose the context any more
   */
  async settle(user: UserKey, { id, context }: GrantRecord): Promise<void> {
    let allowed = context === null
    try {
      allowed ||= (await this.#contexts?.allows(user, context)) ?? true
    } finally {
      if (!allowed) {
        await this.services.tokens.grants.revoke(id, Date.now())
      }
    }
    if (!allowed) {
      throw new AccessDenied('The user cannot choose this context any more.')
    }
  }
}
