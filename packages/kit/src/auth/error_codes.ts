/** The errors of the protocols and of this kit, with their statuses and usual descriptions. */
export const ERRORS = {
  invalid_request: [400, 'The request is missing a parameter or is malformed.'],
  invalid_grant: [400, 'The grant is invalid, expired or revoked.'],
  invalid_scope: [400, 'A requested scope is unknown or not allowed.'],
  invalid_target: [400, 'The requested resource is not served here.'],
  unsupported_grant_type: [400, 'The grant type is not supported.'],
  unsupported_response_type: [400, 'The response type is not supported.'],
  unauthorized_client: [400, 'The client is not allowed to do this.'],
  access_denied: [400, 'The request was not approved.'],
  invalid_redirect_uri: [400, 'A redirect URI is not acceptable.'],
  invalid_client_metadata: [400, 'The client metadata are not acceptable.'],
  login_required: [400, 'The user is required to sign in.'],
  consent_required: [400, 'The user is required to approve.'],
  interaction_required: [400, 'The user is required to be asked.'],
  request_not_supported: [400, 'The parameter request is not supported.'],
  request_uri_not_supported: [400, 'The parameter request_uri is not supported.'],
  invalid_dpop_proof: [400, 'The DPoP proof is missing or not valid.'],
  use_dpop_nonce: [400, 'The DPoP proof must carry the nonce of this server.'],
  invalid_request_uri: [400, 'The request_uri is unknown, used or expired.'],
  authorization_pending: [400, 'Nobody has decided yet. Poll again after the interval.'],
  slow_down: [400, 'The interval between two polls is 5 seconds longer from now on.'],
  expired_token: [400, 'The device_code has expired.'],
  unknown_authorization: [404, 'The authorization request is unknown, answered or expired.'],
  invalid_client: [401, 'Client authentication failed.'],
  invalid_token: [401, 'The access token is missing, invalid, expired or revoked.'],
  invalid_session: [401, 'There is no authenticated session.'],
  login_step_required: [401],
  insufficient_scope: [403, 'The request requires a scope that was not granted.'],
  csrf_token_mismatch: [403, 'The CSRF token is missing or does not match.'],
  email_not_verified: [403, 'The e-mail address has to be verified first.'],
  confirmation_required: [403, 'Confirm that it is you, then repeat the request.'],
  provider_required: [403, 'People of this domain sign in through their own provider.'],
  throttled: [429, 'Too many attempts. Try again later.'],
  server_error: [500, 'The server failed to handle the request.'],
  temporarily_unavailable: [503, 'The server is busy. Try again later.'],
} satisfies Record<string, [status: number, usual?: string]>

export type AuthErrorCode = keyof typeof ERRORS

/** The usual description of an error; empty for one whose description always depends. */
export const usual = (code: AuthErrorCode): string => (ERRORS[code] as [number, string?])[1] ?? ''
