import type { HttpContext } from '@adonisjs/core/http'

declare module '#auth/features' {
  interface AuthFeatures {
    /** What an OpenID Connect client says of the person who is about to sign in. */
    openid: LoginHints
  }
}

export interface LoginHints {
  /** The name that the person probably signs in with; null when no client has said one. */
  loginHint(ctx: HttpContext): string | null
}

/** More than an address has (RFC 5321 §4.5.3.1.3). */
const MAX_LENGTH = 254

/** `login_hint` of the authorization request that waits for the sign-in (OpenID Connect Core 1.0 §3.1.2.1). */
export function loginHint({ session }: HttpContext): string | null {
  const url = session?.getIntendedUrl() ?? ''
  const [path, query = ''] = url.split('?')
  if (!path!.endsWith('/oauth/authorize')) {
    return null
  }
  const hint = new URLSearchParams(query).get('login_hint')
  return hint && hint.length <= MAX_LENGTH ? hint : null
}
