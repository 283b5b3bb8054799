import { MalformedBody } from '#http/errors'

/**
 * Databases, hashes and URLs take Unicode alone; PostgreSQL stores no NUL.
 *
 * @throws {MalformedBody} for a lone surrogate or a NUL
 */
export function assertText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw new MalformedBody('The request body has characters that are not text')
  }
}
