import { isDeepStrictEqual } from 'node:util'

import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/outcome'
import type { Owner } from '#auth/users'
import { type CredentialContext, settleContext } from '#auth/credential_contexts'
import { AccessDenied, InvalidRequest } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import type { Decision } from '#oauth2/authorize/authorization'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'
import { assertRequest } from '#oauth2/parameters'
import { assertOr } from '#process/assert_or'
import type { MaybePromise } from '#process/maybe_promise'
import { isObject } from '#process/objects'

/** Characters of a context as JSON. */
const MAX_CONTEXT = 4096

export class NoSuchContext extends InvalidRequest {}

/** What an approval is for, e.g. a workspace, where a person can choose. The person does, and no client. */
export class ChosenContexts extends ServerPart {
  get #contexts() {
    return this.server.manager.feature('credentialContexts')
  }

  /** What a page asks; null when there is nothing to choose. */
  async question(ctx: HttpContext, user: Owner, grants: readonly GrantRecord[] = []) {
    const contexts = this.#contexts
    const before = grants.map(({ context }) => context)
    const choices = (await contexts?.choices(ctx, user, before)) ?? []
    return contexts && choices.length > 1
      ? { label: contexts.label, hint: contexts.hint, choices }
      : null
  }

  /** A token that approves hands out what it is bound to: whoever has it is not the person who chooses. */
  mayGive({ boundTo }: AuthContext, context: CredentialContext | null): boolean {
    const isBound = boundTo !== undefined && (boundTo !== null || this.#contexts !== undefined)
    return !isBound || isDeepStrictEqual(boundTo, context)
  }

  /**
   * The context that a person has decided for.
   * @throws {AccessDenied} when the approving token is bound to another one
   * @throws {InvalidRequest} when it is no object, or too long, or the user cannot choose it (`NoSuchContext`)
   */
  async read(user: Owner, approver: AuthContext, { context = null, choice }: Decision) {
    assertRequest(context === null || isObject(context), 'The context must be a JSON object.')
    assertRequest(JSON.stringify(context).length <= MAX_CONTEXT, 'The context is too long.')
    const contexts = this.#contexts
    const given = context ?? approver.boundTo ?? null
    const chosen = choice === undefined ? given : (contexts?.read(choice) ?? null)
    const mayGive = this.mayGive(approver, chosen)
    assertOr(mayGive, AccessDenied, 'The approving token is bound to another context.')
    const isAllowed = !contexts || (await contexts.allows(user, chosen))
    assertOr(isAllowed, NoSuchContext, 'The context is not one that the user can choose.')
    return chosen
  }

  /** Asked once something is stored, which `end` ends. @throws {AccessDenied} when the context cannot be chosen any more */
  async settle(user: Owner, context: CredentialContext | null, end: () => MaybePromise<unknown>) {
    const isSettled = await settleContext(this.#contexts, user, context, end)
    assertOr(isSettled, AccessDenied, 'The user cannot choose this context any more.')
  }

  /** What lists call the context of each grant and token of a user; null where there is nothing to choose. */
  async names(user: Owner): Promise<(context: CredentialContext | null) => string | null> {
    return (await this.#contexts?.names(user)) ?? (() => null)
  }
}
