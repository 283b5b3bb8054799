import { MalformedBody } from '#http/errors'

/** Databases, hashes and URLs take Unicode alone. @throws {MalformedBody} for a lone surrogate */
export function assertText(text: string): void {
  if (!text.isWellFormed()) {
    throw new MalformedBody('The request body has characters that are not text')
  }
}
