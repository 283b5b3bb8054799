import { hashSecret } from '#security/secrets'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import { seal, unseal } from '#oauth2/tokens/successor_seal'
import type { TokenResponse } from '#oauth2/tokens/token_issuer'
import type { RefreshTokenRecord, Replay, TokenStore } from '#oauth2/tokens/token_store'

/** What is sealed: the answer to the rotation, and what is needed to give it again. */
interface Successor {
  response: TokenResponse
  /** When the access token expires, in epoch milliseconds. */
  expiresAt: number
  /** The key that the rotation proved; null for none. */
  jkt: string | null
}

/**
 * The replay window of refresh tokens: for some seconds the client that rotated a token gets the
 * same successor again for presenting it again, because the answer was lost, or because two
 * requests of the client refreshed at once. There is never a second successor, and once
 * it has been used itself, the old token is a stolen one.
 */
export class RefreshReplay {
  constructor(
    protected config: { refreshTokenGracePeriod: number; sourceClientGracePeriod: number },
    protected tokens: Pick<TokenStore, 'findRefreshToken'>
  ) {}

  /** What a rotation keeps of its answer; null for a client without a replay window. */
  keep(
    token: RefreshTokenRecord,
    presented: string,
    client: Client | null,
    successor: Successor,
    now: number
  ): Replay | null {
    const seconds = this.#secondsOf(client)
    return seconds > 0
      ? { sealed: seal(successor, presented, token.id), until: now + seconds * 1000 }
      : null
  }

  /** Whether a rotated token is inside the replay window of the client that presents it. */
  isOpen(token: RefreshTokenRecord, client: Client | null, now: number): boolean {
    return (
      now < (token.replay?.until ?? 0) &&
      token.revokedAt === null &&
      token.clientId === (client?.id ?? null)
    )
  }

  /**
   * The answer to the first rotation once more; null when the successor has been used or
   * revoked, or another key proves the request.
   */
  async again(
    token: RefreshTokenRecord,
    presented: string,
    binding: Binding | null,
    now: number
  ): Promise<TokenResponse | null> {
    const kept = token.replay && unseal<Successor>(token.replay.sealed, presented, token.id)
    if (!kept || kept.jkt !== (binding?.jkt ?? null)) {
      return null
    }
    const successor = await this.tokens.findRefreshToken(hashSecret(kept.response.refresh_token!))
    if (!successor || successor.record.rotatedAt !== null || successor.record.revokedAt !== null) {
      return null
    }
    const expiresIn = Math.max(0, Math.floor((kept.expiresAt - now) / 1000))
    return { ...kept.response, expires_in: expiresIn }
  }

  /** A client's own period counts first; then whether anybody here has registered it. */
  #secondsOf(client: Client | null): number {
    const { sourceClientGracePeriod, refreshTokenGracePeriod } = this.config
    const isForeign = client !== null && client.source !== null
    return (
      client?.refreshGracePeriod ?? (isForeign ? sourceClientGracePeriod : refreshTokenGracePeriod)
    )
  }
}
