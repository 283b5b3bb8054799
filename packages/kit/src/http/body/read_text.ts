import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Readable } from 'node:stream'

import { BodyTooLarge, ClientGone, MalformedBody, UnsupportedBody } from '#http/errors'
import { assertOr } from '#process/assert_or'

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * The text of a body, decompressed (RFC 9110 §8.4).
 * @param limit in bytes, before and after decompression
 * @throws {MalformedBody} for a compressed body that is broken, and for bytes that are not UTF-8
 * @throws {UnsupportedBody} for an unknown encoding {BodyTooLarge} {ClientGone}
 */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  const bytes = await readBytes(request, limit)
  assertOr(isUtf8(bytes), MalformedBody, 'The request body is not UTF-8')
  /* A byte order mark is no part of the text (RFC 8259 §8.1). */
  const text = bytes.toString()
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** The bytes of a body, decompressed; see `readText`. What is left unread is discarded, or the connection would stand still. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    const encoding = contentEncoding(request)
    return encoding === 'identity'
      ? (readArrived(request, limit) ?? (await collect(request, limit)))
      : await decompress(request, encoding, limit)
  } finally {
    /* One that was read whole has ended by itself. */
    if (request.readableLength > 0 || !request.complete) {
      request.resume()
    }
  }
}

async function decompress(request: IncomingMessage, encoding: string, limit: number) {
  const create = Object.hasOwn(DECODERS, encoding) && DECODERS[encoding as keyof typeof DECODERS]
  assertOr(create, UnsupportedBody, 'The request body has a content encoding that is not supported')
  const compressed = await collect(request, limit)
  const decoder = create()
  decoder.end(compressed)
  try {
    return await collect(decoder, limit)
  } finally {
    decoder.destroy()
  }
}

export function contentEncoding(request: IncomingMessage): string {
  return request.headers['content-encoding']?.trim().toLowerCase() || 'identity'
}

/** The body where all of it has come with the headers, as small ones do; null elsewhere. */
function readArrived(request: IncomingMessage, limit: number): Buffer | null {
  const arrived = request.readableLength
  if (arrived === 0 || arrived !== Number(request.headers['content-length'])) {
    return null
  }
  assertOr(arrived <= limit, BodyTooLarge)
  return request.read()
}

/** Reads a stream to its end. It stays open when it is too long: a request carries the response as well. */
async function collect(source: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      assertOr(size <= limit, BodyTooLarge)
      chunks.push(chunk)
    }
  } catch (error) {
    throwReadingError(error)
  }
  return Buffer.concat(chunks, size)
}

/** For the failure of a stream. @throws {ClientGone} {MalformedBody} or the failure itself, when it is another one */
export function throwReadingError(error: unknown): never {
  const { code } = error as { code?: string }
  const isGone = code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE'
  assertOr(!isGone, ClientGone)
  throw typeof code === 'string' && /^(Z_|ERR__ERROR|ERR_PADDING|ERR_BROTLI|ERR_ZLIB)/.test(code)
    ? new MalformedBody('The request body is not compressed as it says')
    : error
}
