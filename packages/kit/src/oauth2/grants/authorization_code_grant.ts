import { InvalidGrant, InvalidTarget } from '#auth/errors'
import { isExpired } from '#database/expiry'
import { hashSecret } from '#security/secrets'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { PkceMethod } from '#oauth2/define_config'
import { type Grant, type GrantServices, assertMayUse, mayUse } from '#oauth2/grants/grant'
import type { Parameters } from '#oauth2/parameters'
import { verifyChallenge } from '#oauth2/pkce'
import { resolveResource } from '#oauth2/resource_indicators'
import { approvedAccess } from '#oauth2/tokens/token_issuer'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'

/**
 * A code that a user approved becomes tokens (RFC 6749 §4.1.3, with PKCE,
 * RFC 7636 §4.5). All is validated first, so that a failed attempt leaves the
 * code as it was. A code presented again by someone who could have redeemed it
 * revokes what it gave (RFC 6749 §4.1.2); anyone who knows less gets a refusal.
 */
export class AuthorizationCodeGrant implements Grant {
  readonly identifier = 'authorization_code'

  constructor(protected services: GrantServices) {}

  async handle(request: ClientRequest) {
    const { config, authentication, dpop, issuance, owners, tokens } = this.services
    const { parameters } = request

    const presented = parameters.require('code')
    const client = await authentication.identify(request)
    assertMayUse(config, client, this.identifier)

    const found = await tokens.findCode(hashSecret(presented), owners.likely)
    if (!found) {
      throw refused('code unknown')
    }
    if (found.record.clientId !== client.id) {
      throw refused('code of another client')
    }
    const code = found.record
    assertRedirectUri(code, client, parameters.get('redirect_uri'))
    verifyChallenge(challengeOf(code), parameters.get('code_verifier'))

    if (code.redeemedAt !== null) {
      await this.#revokeWhatItGave(code)
      throw refused('code already redeemed')
    }
    if (code.revokedAt !== null) {
      throw refused('code revoked')
    }
    if (isExpired(code.expiresAt)) {
      throw refused('code expired')
    }
    if (!(await owners.find(code, client, found.user))) {
      throw refused('owner of the code gone or inactive')
    }
    this.#assertResource(code, parameters)
    const binding = await dpop.bind(request, client)
    if (code.dpopJkt !== null && code.dpopJkt !== binding?.jkt) {
      throw refused('code bound to another key')
    }

    const response = await issuance.redeem(
      this.identifier,
      { ...approvedAccess(code), binding },
      mayUse(config, client, 'refresh_token') ? { familyId: null } : null,
      (issued) => tokens.redeemCode(code.id, issued, Date.now())
    )
    return response ?? this.#lostTheRace(presented)
  }

  /** The token request may repeat the code's resource, and name no other (RFC 8707 §2.2). */
  #assertResource(code: AuthorizationCodeRecord, parameters: Parameters) {
    const resource = resolveResource(parameters.get('resource'), this.services.config.served)
    if (resource !== null && resource !== code.resource) {
      throw new InvalidTarget('The resource is not that of the code.')
    }
  }

  /** Someone else redeemed or revoked the code while this request was being validated. */
  async #lostTheRace(presented: string): Promise<never> {
    const found = await this.services.tokens.findCode(hashSecret(presented))
    if (found && found.record.redeemedAt !== null) {
      await this.#revokeWhatItGave(found.record)
    }
    throw refused('code redeemed or revoked by another request')
  }

  async #revokeWhatItGave(code: AuthorizationCodeRecord) {
    if (code.accessTokenId !== null) {
      await this.services.tokens.revokeAccessToken(code.accessTokenId, Date.now())
    }
    this.services.announce('oauth2:reuse_detected', {
      kind: 'authorization_code',
      clientId: code.clientId,
      userId: code.userId,
    })
  }
}

/**
 * The URI must be the one that the code was sent to (RFC 6749 §4.1.3). A
 * request without one went to a registered URI.
 */
function assertRedirectUri(code: AuthorizationCodeRecord, client: Client, uri: string | null) {
  const matches =
    code.redirectUri === null
      ? uri === null || client.redirectUris.includes(uri)
      : uri === code.redirectUri
  if (!matches) {
    throw new InvalidGrant('The redirect_uri differs from that of the authorization request.')
  }
}

function challengeOf({ codeChallenge, codeChallengeMethod }: AuthorizationCodeRecord) {
  return codeChallenge === null
    ? null
    : { challenge: codeChallenge, method: codeChallengeMethod as PkceMethod }
}

/** One answer, whatever is wrong with the code: a caller cannot find out which codes exist. */
function refused(reason: string) {
  return new InvalidGrant('The code is invalid, expired or already used.', { reason })
}
