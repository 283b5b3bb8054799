/**
 * What ID tokens say of the sign-in that an approval was made in (OpenID Connect
 * Core 1.0 §2). Codes and refresh tokens keep it.
 */
export interface Authentication {
  /** As the client sent it; null when it sent none. */
  nonce: string | null
  /** Epoch seconds; null when the approval was made without a session. */
  authTime: number | null
  /** Authentication methods (RFC 8176); empty when they are not known. */
  methods: readonly string[]
  /** The session that it was made in; null without one. */
  sid: string | null
}

/** What a sign-in was worth, the strongest first: `acr_values_supported`. */
export const CONTEXTS = ['phr', 'mfa', 'pwd'] as const

/**
 * The authentication context class of a sign-in: `phr` when no site can stand
 * between the person and this one (a passkey; OpenID Connect EAP ACR Values 1.0
 * §2), `mfa` for two factors, `pwd` for a password alone; null when it is not known.
 */
export function contextOf(methods: readonly string[]): (typeof CONTEXTS)[number] | null {
  if (methods.includes('pop')) {
    return 'phr'
  }
  return CONTEXTS.find((context) => methods.includes(context)) ?? null
}
