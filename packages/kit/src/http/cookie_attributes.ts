import { assertArgument } from '#config/checks'

/**
 * Refuses attributes of cookies that no cookie can be written with, when the
 * application starts: otherwise the first one that is written fails.
 *
 * @throws {InvalidArgumentsException} for `sameSite` "none" without `secure` (RFC 6265bis §5.6)
 */
export function assertCookieAttributes(cookie: { sameSite?: unknown; secure?: boolean }): void {
  assertArgument(
    cookie.secure || String(cookie.sameSite).toLowerCase() !== 'none',
    'config/app.ts: "http.cookie.sameSite" none needs "secure": set SESSION_SECURE=true, or another "sameSite"'
  )
}
