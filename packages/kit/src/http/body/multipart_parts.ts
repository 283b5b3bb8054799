import type { Readable } from 'node:stream'

import { readingError } from '#http/body/read_text'
import { BodyTooLarge, MalformedBody } from '#http/errors'
import { assertOr } from '#process/assert_or'

const CRLF = '\r\n'
const MAX_HEADER_BYTES = 8 * 1024
const PARAMETER = /;\s*(name|filename)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gi

/** One part of a multipart body. Its content is read before the next part, or skipped. */
export interface Part {
  name: string
  /** Undefined for a field. */
  fileName?: string
  contentType: string
  content: AsyncGenerator<Buffer>
}

/** Part by part (RFC 7578, RFC 2046 §5.1.1). It pulls: while nobody asks for more, nothing is read from the connection. */
export class MultipartParts {
  readonly #source: AsyncIterator<Buffer>
  readonly #delimiter: Buffer
  /** The line break in front of the first boundary may be missing, so it is put there. */
  #buffer: Buffer = Buffer.from(CRLF)
  #received = 0

  /** @param limit how many bytes may arrive; it can be raised while the body is read */
  constructor(
    source: Readable,
    boundary: string,
    public limit: number
  ) {
    this.#source = source.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]()
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`)
  }

  /** @throws {MalformedBody} {BodyTooLarge} {ClientGone} */
  async *read(): AsyncGenerator<Part> {
    await skip(this.#untilDelimiter())
    while (await this.#hasPart()) {
      const headers = await this.#headers()
      const content = this.#untilDelimiter()
      const part = describe(headers)
      if (part) {
        yield { ...part, content }
      }
      await skip(content)
    }
  }

  /** What follows a delimiter: `--` after the last part, the end of the line before another. */
  async #hasPart(): Promise<boolean> {
    await this.#fill(2)
    const follows = this.#buffer.toString('latin1', 0, 2)
    assertOr(follows === CRLF || follows === '--', MalformedBody)
    return follows === CRLF
  }

  /** The header block, with the line break in front of it. */
  async #headers(): Promise<string> {
    let end: number
    while ((end = this.#buffer.indexOf(CRLF + CRLF)) === -1) {
      assertFits(this.#buffer.length)
      await this.#pull()
    }
    assertFits(end)
    const headers = this.#buffer.toString('utf8', 0, end)
    /* The last line break stays in front of a content that is empty: it begins the delimiter. */
    this.#buffer = this.#buffer.subarray(end + CRLF.length)
    await this.#fill(this.#delimiter.length)
    if (!this.#buffer.subarray(0, this.#delimiter.length).equals(this.#delimiter)) {
      this.#buffer = this.#buffer.subarray(CRLF.length)
    }
    return headers
  }

  /** The bytes in front of the next delimiter, which is taken away with them. */
  async *#untilDelimiter(): AsyncGenerator<Buffer> {
    let end: number
    while ((end = this.#buffer.indexOf(this.#delimiter)) === -1) {
      /* The end of what is there may be the beginning of a delimiter. */
      const safe = this.#buffer.length - this.#delimiter.length + 1
      if (safe > 0) {
        const chunk = this.#buffer.subarray(0, safe)
        this.#buffer = this.#buffer.subarray(safe)
        yield chunk
      }
      await this.#pull()
    }
    const chunk = this.#buffer.subarray(0, end)
    this.#buffer = this.#buffer.subarray(end + this.#delimiter.length)
    yield chunk
  }

  async #fill(size: number) {
    while (this.#buffer.length < size) {
      await this.#pull()
    }
  }

  async #pull() {
    let next: IteratorResult<Buffer>
    try {
      next = await this.#source.next()
    } catch (error) {
      throw readingError(error)
    }
    assertOr(!next.done, MalformedBody, 'The request body ends too early')
    this.#received += next.value.length
    assertOr(this.#received <= this.limit, BodyTooLarge)
    this.#buffer = Buffer.concat([this.#buffer, next.value])
  }
}

function assertFits(bytes: number) {
  assertOr(bytes <= MAX_HEADER_BYTES, BodyTooLarge, 'A part of the request has too many headers')
}

async function skip(content: AsyncIterable<Buffer>) {
  for await (const chunk of content) {
    void chunk
  }
}

/** What the headers of a part say; null for one that is no form data. */
function describe(headers: string): Omit<Part, 'content'> | null {
  const value = (name: string) =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'im').exec(headers)?.[1]?.trim()

  const disposition = value('Content-Disposition') ?? ''
  if (!/^form-data\s*(;|$)/i.test(disposition)) {
    return null
  }
  const parameters: Record<string, string> = {}
  for (const [, name, quoted, token] of disposition.matchAll(PARAMETER)) {
    parameters[name!.toLowerCase()] = quoted === undefined ? token! : unescape(quoted)
  }
  return {
    name: parameters.name ?? '',
    /* Some clients send the whole path. */
    fileName: parameters.filename?.split(/[\\/]/).at(-1),
    contentType: value('Content-Type') ?? 'text/plain',
  }
}

/** Browsers escape by percents (HTML, multipart form data), other clients by backslashes. */
const unescape = (text: string): string =>
  text.replace(/\\(["\\])/g, '$1').replace(/%22|%0D|%0A/gi, (escape) => decodeURIComponent(escape))
