import { DocumentNotFetched } from '#http/document_fetcher'

/** Codes of openid-client for a provider that answers late, or with something else than JSON. */
const OUTAGES = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'ERR_JWKS_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]

/** Whether a provider could not be asked, so that it may work later. */
export function isOutage(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  /* `fetch` says why in the cause: ECONNREFUSED, UND_ERR_SOCKET. */
  return (
    OUTAGES.includes(code ?? '') ||
    (error instanceof TypeError && cause !== undefined) ||
    [error, cause].some((one) => one instanceof DocumentNotFetched)
  )
}

/**
 * Why a sign-in failed, for the log. The message of an error and its code alone: the
 * cause may be an answer of the provider, which holds tokens.
 */
export function reasonOf(error: unknown): string {
  const { cause } = error as Error
  const told = cause instanceof DocumentNotFetched ? cause : error
  const { message, code, error: answer } = told as Record<string, unknown>
  return [message, code, answer].filter((part) => typeof part === 'string').join(', ')
}
