import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { CONTEXTS } from '#oauth2/openid/authentication'
import { claimNames } from '#oauth2/openid/claims'

/** Claims of ID tokens that are not about the user. */
const TOKEN_CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'at_hash',
  'sid',
]

/**
 * What OpenID Connect adds to the metadata of the authorization server (OpenID
 * Connect Discovery 1.0 §3, RP-Initiated Logout 1.0 §2.1, Back-Channel Logout 1.0 §2.1).
 */
export function openIdMetadata(
  issuer: string,
  { openid }: Pick<ResolvedOAuth2Config, 'openid'>,
  signingAlgorithm: string
) {
  return {
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    subject_types_supported: openid.pairwiseSalt === null ? ['public'] : ['public', 'pairwise'],
    id_token_signing_alg_values_supported: [signingAlgorithm],
    acr_values_supported: CONTEXTS,
    claim_types_supported: ['normal'],
    claims_supported: [...TOKEN_CLAIMS, ...claimNames(openid.claims)],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    display_values_supported: ['page'],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }
}
