import { generateIdentifier } from '#security/secrets'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { destinationOf } from '#oauth2/clients/redirect_uri'
import { newCode } from '#oauth2/tokens/token_issuer'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import type { GrantContext, GrantRecord } from '#oauth2/user_grants/grant_store'

/** A code and its companions. `state` is returned as it was sent, if it was (RFC 6749 §4.1.2). */
export type IssuedCode = { code: string; state?: string; iss: string }

/** A decision that differs from the request. */
export interface Decision {
  /** The scopes that are allowed. Default: all that were requested. */
  scopes?: string[]
  context?: GrantContext | null
  /** What a form sent of the choices of a context (`ChosenContexts`); it takes the place of `context`. */
  choice?: string
}

/** Makes the codes of checked requests. */
export class CodeIssuer {
  constructor(protected server: AuthorizationServer) {}

  /** Issues a code for what a person has approved. */
  async approve(request: AuthorizationRequest, decision: Decision = {}): Promise<IssuedCode> {
    const { user, redirectTarget, scopes } = request
    const context = await this.server.contexts.read(user, request.context, decision)
    const { code, record } = await this.#prepare(request, decision.scopes ?? scopes)
    request.isNewConnection = await this.grant(record, {
      requested: scopes,
      context,
      redirectHost: redirectTarget && destinationOf(redirectTarget).host,
    })
    return this.#answer(request, code)
  }

  /**
   * Stores the code of an approval, which makes a grant or widens one.
   *
   * @returns whether it has made one: the client can act for the user from now on
   */
  async grant(
    record: AuthorizationCodeRecord,
    approval: { requested: string[]; context: GrantContext | null; redirectHost: string | null }
  ): Promise<boolean> {
    const { config, tokens, contexts } = this.server
    const { requested, ...rest } = approval
    const grantId = generateIdentifier()
    const grant = await tokens.grants.approve(record, {
      ...rest,
      grantId,
      declined: requested.filter((scope) => !record.scopes.includes(scope)),
      expiresAt: record.createdAt + config.grantTtl * 1000,
    })
    await contexts.settle(record, grant)
    return grant.id === grantId
  }

  /** Issues a code under an existing grant; null when it has ended or changed meanwhile. */
  async reuse(request: AuthorizationRequest, grant: GrantRecord): Promise<IssuedCode | null> {
    const { code, record } = await this.#prepare(request, request.scopes)
    const inserted = await this.server.tokens.grants.reuse(record, grant)
    return inserted ? this.#answer(request, code) : null
  }

  async #prepare(request: AuthorizationRequest, scopes: string[]) {
    const { config, openid } = this.server
    const { client, user, redirectUri, challenge, resource, dpopJkt } = request
    return newCode(
      {
        ...user,
        clientId: client.id,
        redirectUri,
        scopes,
        resource,
        codeChallenge: challenge?.challenge ?? null,
        codeChallengeMethod: challenge?.method ?? null,
        dpopJkt,
        authentication: (await openid?.authenticate(request, scopes)) ?? null,
      },
      config.authorizationCodeTtl
    )
  }

  #answer({ state, ctx }: AuthorizationRequest, code: string): IssuedCode {
    const iss = this.server.issuer.of(ctx.request)
    return { code, ...(state !== null && { state }), iss }
  }
}
