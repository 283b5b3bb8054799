import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { type Part, MultipartParts } from '#http/body/multipart_parts'
import { contentEncoding } from '#http/body/read_text'
import { assertText, BodyTooLarge, MalformedBody, UnsupportedBody } from '#http/errors'
import type { BodyConfig } from '#http/define_config'
import { assertOr } from '#process/assert_or'

/** A boundary has up to 70 characters (RFC 2046 §5.1.1); some clients use a few more. */
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,100})"|([^\s;"]{1,100}))\s*(?:;|$)/i

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
    const value = bytes.toString()
    assertText(name)
    assertText(value)
    this.fields.push([name, value])
  }
}
