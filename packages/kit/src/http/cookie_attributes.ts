import { assertArgument } from '#config/checks'

/**
 * At the start: otherwise the first cookie that is written fails.
 * @throws {InvalidArgumentsException} for `sameSite` "none" without `secure` (RFC 6265bis §5.6)
 */
export function assertCookieAttributes(cookie: { sameSite?: unknown; secure?: boolean }): void {
  assertArgument(
    cookie.secure || String(cookie.sameSite).toLowerCase() !== 'none',
    'config/app.ts: "http.cookie.sameSite" none needs "secure": set SESSION_SECURE=true, or another "sameSite"'
  )
}
