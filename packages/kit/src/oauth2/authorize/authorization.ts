import type { HttpContext } from '@adonisjs/core/http'

import type { CredentialContext } from '#auth/credential_contexts'
import { AuthError, Unauthenticated, ConsentRequired, InteractionRequired } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { CHECKS } from '#oauth2/authorize/checks'
import { destinationOf, extendRedirectUri } from '#oauth2/clients/client_urls'
import { assertWaits } from '#oauth2/parameters'
import { newCode } from '#oauth2/tokens/token_issuer'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import type { Approval, GrantRecord } from '#oauth2/user_grants/grant_store'
import { generateIdentifier } from '#security/secrets'
import type { ConsentQuestion } from '#oauth2/pending/pending_authorizations'

/** A code and its companions. `state` is returned as it was sent, if it was (RFC 6749 §4.1.2). */
export type IssuedCode = { code: string; state?: string; iss: string }

/** A decision that differs from the request. */
export interface Decision {
  /** The scopes that are allowed. Default: all that were requested. */
  scopes?: string[]
  context?: CredentialContext | null
  /** What a form sent of the choices of a context; it takes the place of `context`. */
  choice?: string
}

/** Judges authorization requests and answers them: `/oauth/authorize`. */
export class Authorization extends ServerPart {
  /** @throws {AuthError} of the first rule that the request breaks */
  async check(request: AuthorizationRequest, mode: keyof typeof CHECKS): Promise<void> {
    for (const check of CHECKS[mode]) {
      await check(request, this.server)
    }
  }

  describe({ client, parameters, redirectUri, scopes, challenge, resource }: AuthorizationRequest) {
    return {
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      scopes: this.server.catalogue.describe(scopes),
      state: parameters.get('state'),
      response_type: 'code',
      code_challenge: challenge.codeChallenge,
      code_challenge_method: challenge.codeChallengeMethod,
      resource,
      requires_approval: true,
    }
  }

  async grants({ user, client: { id: clientId }, resource }: AuthorizationRequest) {
    return this.server.tokens.grants.findLiving({ ...user, clientId, resource }, Date.now())
  }

  /**
   * Where a browser goes on to with a checked request, or what its person has to decide.
   * @throws {ConsentRequired | InteractionRequired} when the client wants nobody to be asked
   */
  async ask(request: AuthorizationRequest): Promise<string | ConsentQuestion> {
    const grants = await this.grants(request)
    const answer = mayAnswerUnasked(request) ? await this.#answerUnasked(request, grants) : null
    if (answer) {
      return extendRedirectUri(request.redirectTarget!, answer)
    }
    if (request.prompt.has('none')) {
      /* All scopes were allowed before, so the open question is another one. */
      const isOther = this.server.openid && grants.some((grant) => covers(grant, request))
      throw isOther ? new InteractionRequired() : new ConsentRequired()
    }
    return this.server.pending.begin(request, grants)
  }

  /** By the one grant that has all scopes, to the same host; of several only the user knows which. */
  async #answerUnasked(request: AuthorizationRequest, [grant, ...others]: GrantRecord[]) {
    if (request.client.firstParty) {
      return this.issue(request)
    }
    if (!grant || others.length > 0 || !covers(grant, request)) {
      return null
    }
    const isSameHost = grant.redirectHost === destinationOf(request.redirectTarget!).host
    const isMeant = isSameHost && this.server.contexts.mayGive(request.context, grant.context)
    return isMeant ? this.#reuse(request, grant) : null
  }

  async approve(request: AuthorizationRequest, decision?: Decision): Promise<IssuedCode> {
    const response = await this.issue(request, decision)
    const { scopes = request.scopes } = decision ?? {}
    this.server.announce('oauth2:consent_given', { ...request.consentEvent, scopes })
    return response
  }

  /** As `approve` without an event, for a request that nobody has to be asked about. */
  async issue(request: AuthorizationRequest, decision: Decision = {}): Promise<IssuedCode> {
    const { user, redirectTarget, scopes } = request
    const context = await this.server.contexts.read(user, request.context, decision)
    const { code, record } = await this.#prepare(request, decision.scopes ?? scopes)
    const redirectHost = redirectTarget && destinationOf(redirectTarget).host
    const approval = { requested: scopes, context, redirectHost }
    request.isNewConnection = await this.grant(request.ctx, record, approval)
    return this.#answer(request, code)
  }

  /** Stores the code of an approval. @returns whether that made a grant: a new connection */
  async grant(
    ctx: HttpContext,
    record: AuthorizationCodeRecord,
    approval: Pick<Approval, 'context' | 'redirectHost' | 'deviceCodeHash'> & {
      requested: string[]
    }
  ): Promise<boolean> {
    const { config, tokens, contexts, clients } = this.server
    const { requested, ...rest } = approval
    const grantId = generateIdentifier()
    const { id, context } = await tokens.grants.approve(record, {
      ...rest,
      grantId,
      declined: requested.filter((scope) => !record.scopes.includes(scope)),
      expiresAt: record.createdAt + config.grantTtl * 1000,
    })
    const end = () => tokens.grants.revoke(id, Date.now())
    await contexts.settle(record, context, end)
    await ctx.authenticator.settle(end)
    /* A revocation of the client ends only the grants that it finds. */
    const isActive = (await clients.find(record.clientId)) !== null
    isActive || (await end())
    assertWaits(isActive, 'client revoked by another request')
    return id === grantId
  }

  /** Issues a code under an existing grant; null when it has ended or changed meanwhile. */
  async #reuse(request: AuthorizationRequest, grant: GrantRecord): Promise<IssuedCode | null> {
    const { code, record } = await this.#prepare(request, request.scopes)
    const inserted = await this.server.tokens.grants.reuse(record, grant)
    /* Nobody is told the code then. */
    await request.ctx.authenticator.settle(() => {})
    return inserted ? this.#answer(request, code) : null
  }

  async #prepare(request: AuthorizationRequest, scopes: string[]) {
    const { config, openid } = this.server
    const { client, user, redirectUri, challenge, resource, dpopJkt } = request
    const authentication = (await openid?.authenticate(request, scopes)) ?? null
    const bound = { ...challenge, redirectUri, resource, dpopJkt }
    const fields = { ...user, clientId: client.id, scopes, ...bound, authentication }
    return newCode(fields, config.authorizationCodeTtl)
  }

  #answer({ state, ctx }: AuthorizationRequest, code: string): IssuedCode {
    const iss = this.server.issuerOf(ctx.request)
    return { code, ...(state !== null && { state }), iss }
  }

  /**
   * Where a browser takes an error to (RFC 6749 §4.1.2.1, with `iss` by RFC 9207 §2); null if no
   * redirect is safe: the client or its redirect URI is not verified, or nobody is signed in.
   */
  errorLocation({ redirectTarget, ctx, state }: AuthorizationRequest, error: unknown) {
    const isTold = error instanceof AuthError && !(error instanceof Unauthenticated)
    if (!isTold || redirectTarget === null) {
      return null
    }
    const iss = this.server.issuerOf(ctx.request)
    const told = { error: error.error, error_description: error.description, iss, state }
    return extendRedirectUri(redirectTarget, told)
  }
}

function covers(grant: GrantRecord, { scopes }: AuthorizationRequest): boolean {
  return scopes.every((scope) => grant.scopes.includes(scope))
}

/** Any program can listen on a loopback or private-use address: it always asks (RFC 8252 §8.6). */
function mayAnswerUnasked({ prompt, redirectTarget, requiresLogin }: AuthorizationRequest) {
  const asks = prompt.has('consent') || prompt.has('select_account') || requiresLogin
  return !asks && destinationOf(redirectTarget!).kind === 'web'
}
