/** What a run of the authorization server is made of: index 0 holds everything, 1 is public, 2 cannot refresh. */
export const CLIENTS = [
  { confidential: true, refreshes: true },
  { confidential: false, refreshes: true },
  { confidential: true, refreshes: false },
]
export const KNOWN_SCOPES = ['posts:read', 'posts:write', 'mcp:use', 'account:read']

/** Seconds. */
export const TTL = { code: 600, access: 3600, refresh: 1_209_600 }

/** What ends together: a refresh token and its successors, or an access token without any. */
interface Family {
  client: number
  /** null for client credentials. */
  user: number | null
  revoked: boolean
}

/** An access token and the refresh token issued with it. Instants are seconds. */
export interface Pair {
  access: string
  refresh: string | null
  scopes: string[]
  family: Family
  issuedAt: number
  rotated: boolean
  /** Purged: the server no longer knows the refresh token. */
  forgotten: boolean
}

export interface Code {
  code: string
  verifier: string
  client: number
  user: number
  scopes: string[]
  issuedAt: number
  redeemedBy: Family | null
  revoked: boolean
}

export type Body = { access_token: string; refresh_token?: string; scope: string }

/** The answer to a request: the name of an error, or what a success does to the model. */
export type Prediction = string | ((body: Body) => void)

const nothing = () => {}

/**
 * The state tables of authorization codes and refresh tokens, in as few words
 * as possible: what every request is answered, and which tokens are alive.
 */
export class OAuthModel {
  clock = 0
  readonly codes: Code[] = []
  readonly pairs: Pair[] = []
  readonly revokedClients = new Set<number>()
  readonly inactiveUsers = new Set<number>()

  addCode(code: Pick<Code, 'code' | 'verifier' | 'client' | 'user' | 'scopes'>) {
    this.codes.push({ ...code, issuedAt: this.clock, redeemedBy: null, revoked: false })
  }

  isAccessAlive({ family, issuedAt, rotated }: Pair): boolean {
    return (
      !rotated && !family.revoked && this.clock < issuedAt + TTL.access && this.#hasOwner(family)
    )
  }

  isRefreshAlive({ family, issuedAt, rotated }: Pair): boolean {
    return (
      !rotated && !family.revoked && this.clock < issuedAt + TTL.refresh && this.#hasOwner(family)
    )
  }

  redeem(code: Code, client: number, proof: { verifier: boolean; redirectUri: boolean }) {
    if (this.revokedClients.has(client)) {
      return 'invalid_client'
    }
    if (code.client !== client || !proof.verifier || !proof.redirectUri) {
      return 'invalid_grant'
    }
    if (code.redeemedBy) {
      code.redeemedBy.revoked = true
      return 'invalid_grant'
    }
    if (code.revoked || this.clock >= code.issuedAt + TTL.code || !this.#hasOwner(code)) {
      return 'invalid_grant'
    }
    return (body: Body) => {
      code.redeemedBy = { client, user: code.user, revoked: false }
      this.#issue(body, code.redeemedBy, code.scopes)
    }
  }

  clientCredentials(client: number, scopes: string[]): Prediction {
    if (this.revokedClients.has(client)) {
      return 'invalid_client'
    }
    if (!CLIENTS[client]!.confidential) {
      return 'unauthorized_client'
    }
    if (!scopes.every((scope) => KNOWN_SCOPES.includes(scope))) {
      return 'invalid_scope'
    }
    return (body) => this.#issue(body, { client, user: null, revoked: false }, scopes)
  }

  /** @param client null presents the token without a `client_id` */
  refresh(token: Pair, client: number | null, goodSecret: boolean, requested: string[]) {
    if (token.forgotten) {
      return 'invalid_grant'
    }
    if (client === null || !goodSecret || this.revokedClients.has(client)) {
      return 'invalid_client'
    }
    if (!CLIENTS[client]!.refreshes) {
      return 'unauthorized_client'
    }
    if (token.rotated) {
      token.family.revoked = true
      return 'invalid_grant'
    }
    if (token.family.client !== client || !this.isRefreshAlive(token)) {
      return 'invalid_grant'
    }
    const wider = requested.filter((scope) => !token.scopes.includes(scope))
    if (wider.length) {
      return wider.every((scope) => KNOWN_SCOPES.includes(scope))
        ? 'invalid_grant'
        : 'invalid_scope'
    }
    return (body: Body) => {
      token.rotated = true
      this.#issue(body, token.family, requested.length ? requested : token.scopes)
    }
  }

  revokeToken(token: Pair, client: number): Prediction {
    if (this.revokedClients.has(client)) {
      return 'invalid_client'
    }
    if (token.family.client === client && !token.forgotten) {
      token.family.revoked = true
    }
    return nothing
  }

  revokeOfUser(token: Pair, user: number): Prediction {
    if (token.family.user === user && !token.forgotten) {
      token.family.revoked = true
    }
    return nothing
  }

  revokeAllOfUser(user: number): Prediction {
    return this.#revokeWhere((owned) => owned.user === user)
  }

  revokeClient(client: number): Prediction {
    this.revokedClients.add(client)
    return this.#revokeWhere((owned) => owned.client === client)
  }

  /**
   * A rotated token is remembered until it has expired and `access_token_ttl`
   * has passed; the first of a family until the others are forgotten.
   */
  purge(): Prediction {
    const isOver = (pair: Pair) => this.clock >= pair.issuedAt + TTL.refresh + TTL.access
    const families = Map.groupBy(this.pairs, ({ family }) => family)
    for (const [first, ...others] of families.values()) {
      for (const pair of others) {
        pair.forgotten ||= isOver(pair)
      }
      first!.forgotten ||= isOver(first!) && others.every(({ forgotten }) => forgotten)
    }
    return nothing
  }

  #hasOwner({ user }: { user: number | null }) {
    return user === null || !this.inactiveUsers.has(user)
  }

  #revokeWhere(matches: (owned: { client: number; user: number | null }) => boolean): Prediction {
    for (const owned of [...this.codes, ...this.pairs.map(({ family }) => family)]) {
      owned.revoked ||= matches(owned)
    }
    return nothing
  }

  #issue(body: Body, family: Family, scopes: string[]) {
    this.pairs.push({
      access: body.access_token,
      refresh: body.refresh_token ?? null,
      scopes,
      family,
      issuedAt: this.clock,
      rotated: false,
      forgotten: false,
    })
  }
}
