import type { HttpContext } from '@adonisjs/core/http'

import { TemporarilyUnavailable } from '#auth/errors'
import { DocumentNotFetched } from '#http/document_fetcher'
import type { IdentityProvider } from '#social/providers/provider'
import type { Purpose, Refused } from '#social/types'

/** Codes of openid-client for a provider that answers late, or with something else than JSON. */
const OUTAGES =
  /^(ERR_JWKS_TIMEOUT|OAUTH_(TIMEOUT|ABORT|PARSE_ERROR|RESPONSE_IS_NOT_(JSON|CONFORM)))$/

/** Whether a provider could not be asked, so that it may work later. */
export function isOutage(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  /* `fetch` says why in the cause: ECONNREFUSED, UND_ERR_SOCKET. */
  return (
    OUTAGES.test(code ?? '') ||
    (error instanceof TypeError && cause !== undefined) ||
    [error, cause].some((one) => one instanceof DocumentNotFetched)
  )
}

/** For programs: the provider may answer in half a minute. */
export function providerIsDown(): TemporarilyUnavailable {
  return new TemporarilyUnavailable(30, 'The provider does not answer. Try again later.')
}

/** For operators: the message and codes alone, because the cause may be an answer of the provider, which holds tokens. Why `fetch` failed is the code of an error. */
export function logFailure(
  { logger }: HttpContext,
  provider: string,
  error: unknown,
  message = 'A sign-in through a provider failed'
): void {
  const { cause } = error as Error
  const told = cause instanceof DocumentNotFetched ? cause : error
  const { message: why, code, error: answer } = told as Record<string, unknown>
  const behind = cause instanceof Error && (cause as { code?: unknown }).code
  const reason = [why, code ?? behind, answer].filter((part) => typeof part === 'string').join(', ')
  logger.warn({ provider, reason }, message)
}

export function refusal({ label }: IdentityProvider, purpose: Purpose, reason: Refused) {
  return { kind: 'refused' as const, purpose, reason, label }
}
