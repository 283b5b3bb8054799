import type { HttpContext } from '@adonisjs/core/http'
import testUtils from '@adonisjs/core/services/test_utils'
import { decodeJwt } from 'jose'

import User from '#models/user'
import { AuthContext, Refusal } from '#kit/auth/outcome'
import { AuthError } from '#kit/auth/errors'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { AuthorizationRequest } from '#kit/oauth2/authorize/authorization_request'
import { OAuth2Guard } from '#kit/oauth2/guard'
import { Parameters } from '#kit/oauth2/parameters'
import {
  type Fields,
  REDIRECT_URI,
  type TestClient,
  createPkce,
  credentials,
} from '#starter/helpers/oauth'

/** What a request is answered: a body, or the name of an error. */
export type Answer = { body: any } | { error: string }

/** Calls the authorization server in its own process, as its controllers do. */
export class OAuthCalls {
  constructor(
    readonly server: AuthorizationServer,
    readonly clients: TestClient[],
    /** A client that only introspects. */
    readonly observer: TestClient,
    readonly users: User[]
  ) {}

  async issueCode(client: number, user: number, scopes: string[]) {
    const { verifier, challenge } = createPkce()
    const ctx = await createContext()
    const parameters = Parameters.fromQuery(ctx.request)
    const request = Object.assign(new AuthorizationRequest(ctx, parameters), {
      client: this.clients[client]!.client,
      user: this.userKey(user),
      context: new AuthContext({ user: null, scopes: [] }),
      redirectUri: REDIRECT_URI,
      scopes,
      challenge: { codeChallenge: challenge, codeChallengeMethod: 'S256' as const },
    })
    const { code } = await this.server.authorization.approve(request)
    return { code, verifier, client, user, scopes }
  }

  token(fields: Fields): Promise<Answer> {
    return answer(async () => this.server.grants.respond(await createRequest(fields)))
  }

  revoke(fields: Fields): Promise<Answer> {
    return answer(async () => this.server.revocation.revoke(await createRequest(fields)))
  }

  revokeClient(client: number): Promise<Answer> {
    return answer(() => this.server.clients.revoke(this.clients[client]!.id))
  }

  revokeOfUser(user: number, accessToken: string): Promise<Answer> {
    const { jti } = decodeJwt(accessToken)
    return answer(() => this.server.userTokens.revoke(this.userKey(user), jti!))
  }

  revokeAllOfUser(user: number): Promise<Answer> {
    return answer(() => this.server.userTokens.revokeAll(this.userKey(user)))
  }

  activate(user: number, isActive: boolean): Promise<Answer> {
    return answer(async () => User.query().where('id', this.users[user]!.id).update({ isActive }))
  }

  purge(): Promise<Answer> {
    return answer(() => this.server.purge())
  }

  /** The scopes of an active token; null when it is inactive. */
  async introspect(token: string): Promise<string | null> {
    const request = await createRequest({ token, ...credentials(this.observer) })
    const response = await this.server.introspection.introspect(request)
    return response.active ? response.scope : null
  }

  /** Whether a guard accepts an access token. */
  async opens(accessToken: string): Promise<boolean> {
    const { accessTokens, tokens, tokenIssuer, usedGrants, dpop, manager } = this.server
    const ctx = await createContext()
    ctx.request.request.headers.authorization = `Bearer ${accessToken}`
    const guard = new OAuth2Guard('oauth', manager.users('users'), ctx, {
      audience: null,
      accessTokens,
      tokens,
      tokenIssuer,
      usedGrants,
      dpop,
    })
    return !((await guard.resolve()) instanceof Refusal)
  }

  private userKey(user: number) {
    return { userId: String(this.users[user]!.id), provider: 'users' }
  }
}

async function createRequest(fields: Fields) {
  return { ctx: await createContext(), parameters: Parameters.fromJson(fields) }
}

function createContext(): Promise<HttpContext> {
  return testUtils.createHttpContext()
}

async function answer(call: () => Promise<unknown>): Promise<Answer> {
  try {
    return { body: await call() }
  } catch (error) {
    if (error instanceof AuthError) {
      return { error: error.error }
    }
    throw error
  }
}
