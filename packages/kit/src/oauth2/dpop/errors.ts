import { AuthError, type AuthErrorOptions } from '#auth/errors'

/** The proof of a client's key is missing or not valid (400, RFC 9449 §5). */
export class InvalidDpopProof extends AuthError {
  constructor(options?: AuthErrorOptions) {
    super('invalid_dpop_proof', 'The DPoP proof is missing or not valid.', options)
  }
}

/** The proof carries no nonce of this server, or an old one (400, RFC 9449 §8). The answer has a fresh one. */
export class UseDpopNonce extends AuthError {
  constructor(options?: AuthErrorOptions) {
    super('use_dpop_nonce', 'The DPoP proof must carry the nonce of this server.', options)
  }
}
