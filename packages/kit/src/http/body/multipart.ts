import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

import { contentEncoding, throwReadingError } from '#http/body/read_text'
import { BodyTooLarge, MalformedBody, UnsupportedBody } from '#http/errors'
import type { BodyConfig } from '#http/define_config'
import { assertOr } from '#process/assert_or'

const CRLF = '\r\n'
const MAX_HEADER_BYTES = 8 * 1024
const PARAMETER = /;\s*(name|filename)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gi

/** A boundary has up to 70 characters (RFC 2046 §5.1.1); some clients use a few more. */
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,100})"|([^\s;"]{1,100}))\s*(?:;|$)/i

/** One part of a multipart body. Its content is read before the next part, or skipped. */
export interface Part {
  name: string
  /** Undefined for a field. */
  fileName?: string
  contentType: string
  content: AsyncGenerator<Buffer>
}

/** A file that is arriving: its bytes are read from `content`, or the body stands still. */
export type ArrivingFile = Required<Part>

/** In two steps: the fields in front of the first file, and the files when somebody asks. In between nothing is read. */
export class MultipartReader {
  readonly fields: [name: string, value: string][] = []
  readonly #source: MultipartParts
  readonly #parts: AsyncGenerator<Part>
  #firstFile: ArrivingFile | null = null
  #count = 0
  #fieldBytes = 0

  /** @throws {MalformedBody} without a boundary, {UnsupportedBody} for a compressed body */
  constructor(
    protected readonly request: IncomingMessage,
    protected readonly config: BodyConfig['multipart']
  ) {
    const isPlain = contentEncoding(request) === 'identity'
    assertOr(isPlain, UnsupportedBody, 'A multipart body must not be compressed')
    const [, quoted, token] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? []
    const boundary = quoted ?? token
    assertOr(boundary, MalformedBody, 'The multipart body has no boundary')
    this.#source = new MultipartParts(request, boundary, config.fieldsLimit)
    this.#parts = this.#source.read()
  }

  /** Up to the first file: whether there is one. @throws {MalformedBody} {BodyTooLarge} {ClientGone} */
  async readFields(): Promise<boolean> {
    this.#firstFile = await this.#nextFile()
    return this.#firstFile !== null
  }

  /**
   * @param limit bytes of the whole body
   * @param store reads a file to its end
   * @throws {MalformedBody} {BodyTooLarge} {ClientGone} and what `store` throws
   */
  async readFiles(limit: number, maxFiles: number, store: (file: ArrivingFile) => Promise<void>) {
    this.#source.limit = limit
    let files = 0
    for (let file = this.#firstFile; file !== null; file = await this.#nextFile()) {
      assertOr(++files <= maxFiles, BodyTooLarge, 'The request has too many files')
      await store(file)
    }
  }

  /** Gives up what has not been read: it is dropped as it arrives, so that the connection can go on. */
  discard(): void {
    this.request.removeAllListeners('readable')
    this.request.resume()
  }

  async #nextFile(): Promise<ArrivingFile | null> {
    for (let next = await this.#parts.next(); !next.done; next = await this.#parts.next()) {
      const part = next.value
      const isWithin = ++this.#count <= this.config.maxFields
      assertOr(isWithin, BodyTooLarge, 'The request has too many parts')
      if (part.name && part.fileName) {
        return part as ArrivingFile
      }
      /* A file without a name is an input that was left empty. */
      if (part.name && part.fileName === undefined) {
        await this.#readField(part)
      }
    }
    return null
  }

  async #readField({ name, content }: Part) {
    const chunks: Buffer[] = []
    this.#fieldBytes += name.length
    for await (const chunk of content) {
      this.#fieldBytes += chunk.length
      const isWithin = this.#fieldBytes <= this.config.fieldsLimit
      assertOr(isWithin, BodyTooLarge, 'The fields of the request are too large')
      chunks.push(chunk)
    }
    const bytes = Buffer.concat(chunks)
    assertOr(isUtf8(bytes), MalformedBody, 'The request body is not UTF-8')
    this.fields.push([name, bytes.toString()])
  }
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
    const next = await this.#source.next().catch(throwReadingError)
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
