import { withDefaults } from '#config/checks'

/** Tokens that are bound to a key of the client (RFC 9449). */
export interface DpopConfig {
  /** Whether clients can bind tokens to a key. Default false. A token that is bound is never good without its key. */
  enabled?: boolean
  /** Whether proofs have to carry a nonce of this server (RFC 9449 §8). Default false. */
  nonce?: boolean
}

/** Signature algorithms of proofs: asymmetric ones alone (RFC 9449 §4.2). */
export const DPOP_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/** @throws {InvalidArgumentsException} for an unknown setting */
export function resolveDpop(config: DpopConfig = {}): Required<DpopConfig> {
  return withDefaults('DpopConfig', config, { enabled: false, nonce: false })
}
