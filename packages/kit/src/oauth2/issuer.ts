import { assertArgument } from '#config/checks'

/** RFC 8414 §2 in the characters that need no encoding: scheme, host, port and a path. */
const ISSUER = /^https?:\/\/[A-Za-z0-9.\-[\]:]+((?:\/[A-Za-z0-9\-._~]+)*)$/

/** @throws {InvalidArgumentsException} unless it is a bare http(s) URL; null without one */
export function normalizeIssuer(issuer: string | null | undefined): string | null {
  const normalized = issuer?.replace(/\/+$/, '') || null
  if (normalized === null) {
    return null
  }
  const path = ISSUER.exec(normalized)?.[1]
  /* Clients would resolve dot segments to another path. */
  assertArgument(
    path !== undefined && new URL(normalized).pathname === (path || '/'),
    `OAuth2Config: the issuer "${issuer}" must be an http(s) URL without user, query and fragment, its path of letters, digits and - . _ ~`
  )
  return normalized
}

/** The path of an issuer, under which its endpoints are; empty for an issuer without one. */
export function issuerPath(issuer: string | null): string {
  return issuer === null ? '' : new URL(issuer).pathname.replace(/\/$/, '')
}
