import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import { fileTypeFromBuffer, supportedExtensions } from 'file-type'

import { assemble, parseForm, parseJson } from '#http/body/formats'
import { type ArrivingFile, MultipartReader } from '#http/body/multipart'
import { readText } from '#http/body/read_text'
import { type BodyConfig, bytes } from '#http/define_config'
import { type MalformedBody, UnsupportedBody } from '#http/errors'
import { onResponseEnd } from '#http/response_end'
import { isMarked, rawForm, smallBody, usesMiddleware } from '#http/route_marks'
import { assertOr } from '#process/assert_or'

/** Bytes of a body of a route that is marked with `smallBody`. */
const SMALL = 64 * 1024

/** Enough for every signature, as the library says. */
const SIGNATURE_BYTES = 4100

declare module '@adonisjs/core/http' {
  interface HttpRequest {
    /** A multipart body whose files have not been read yet. */
    pendingFiles?: MultipartReader
    /** What was wrong with the text of the body, for `BodyComplaintMiddleware`. */
    bodyComplaint?: MalformedBody
  }
}

export interface FilesOptions {
  /** Size of the whole body, like `5mb`; `multipart.limit` of the configuration when absent. */
  limit?: string | number
  /** How many files a request may bring, 1 unless it says more. */
  maxFiles?: number
}

/** Reads bodies as AdonisJS's body parser does, under limits that nothing gets around. */
export class BodyReader {
  constructor(readonly config: BodyConfig) {}

  /** All but the files. @throws {MalformedBody} {BodyTooLarge} {UnsupportedBody} {ClientGone} */
  async read(ctx: HttpContext): Promise<void> {
    const { request, route } = ctx
    request.__raw_files = {}
    if (!this.config.allowedMethods.includes(request.method()) || !request.hasBody()) {
      return
    }

    const { form, json, multipart, raw } = this.config
    const small = isMarked(route, smallBody)
    type Kind = HttpContext['request']['bodyType']
    const readAs = async (type: Kind, limit: number, parse: (text: string) => object) => {
      request.bodyType = type
      const text = await readText(request.request, small ? Math.min(limit, SMALL) : limit)
      request.updateRawBody(text)
      request.setInitialBody(parse(text))
    }

    if (isType(request, form.types)) {
      const parse = (text: string) => (isMarked(route, rawForm) ? {} : parseForm(text, form))
      await readAs('urlencoded', form.limit, parse)
    } else if (isType(request, json.types)) {
      await readAs('json', json.limit, (text) => parseJson(text, json))
    } else if (!usesMiddleware(route, 'jsonApi') && isType(request, multipart.types)) {
      request.bodyType = 'multipart'
      assertOr(!small, UnsupportedBody, 'This route does not read multipart bodies')
      await this.#readMultipart(ctx)
    } else if (isType(request, raw.types)) {
      await readAs('raw', raw.limit, () => ({}))
    } else {
      request.bodyType = 'unknown'
    }
  }

  /** Deletes the files after the response. @throws {MalformedBody} {BodyTooLarge} {ClientGone} */
  async readFiles({ request, response, logger }: HttpContext, options: FilesOptions) {
    const reader = request.pendingFiles
    if (!reader) {
      return
    }
    const { multipart } = this.config
    const limit = options.limit === undefined ? multipart.limit : bytes(options.limit)
    const uploads = new Uploads(multipart.tmpFileName)
    onResponseEnd(response, () => {
      uploads
        .delete()
        .catch((error) => logger.error({ err: error }, 'Cannot delete uploaded files'))
    })

    await reader.readFiles(limit, options.maxFiles ?? 1, (file) => uploads.store(file))
    delete request.pendingFiles
    request.__raw_files = assemble(uploads.files, this.config.form.queryString) as never
    request.setInitialBody(this.#body(reader, uploads))
  }

  /** Where no files are taken, the first one ends the reading. */
  async #readMultipart({ request, response, route }: HttpContext) {
    const reader = new MultipartReader(request.request, this.config.multipart)
    onResponseEnd(response, () => reader.discard())

    if (!(await reader.readFields())) {
      return request.setInitialBody(this.#body(reader))
    }
    if (!usesMiddleware(route, 'files')) {
      reader.discard()
      throw new UnsupportedBody('This route does not take files')
    }
    request.pendingFiles = reader
    request.updateBody(this.#body(reader))
  }

  #body({ fields }: MultipartReader, uploads?: Uploads) {
    const { normalize } = this.config.multipart
    const values = fields.map(([name, value]): [string, unknown] => [name, normalize(value)])
    return assemble([...values, ...(uploads?.files ?? [])], this.config.form.queryString)
  }
}

/** Most callers name the type as it is listed, and AdonisJS's way to find out takes as long as reading the body. */
function isType(request: HttpContext['request'], types: string[]): boolean {
  const isListed = types.includes(request.header('content-type')!)
  return isListed || (types.length > 0 && request.is(types) !== null)
}

/** The files of one request, in the temporary folder until `delete` is called. */
class Uploads {
  readonly files: [name: string, file: MultipartFile][] = []
  readonly #paths: string[] = []
  #deleted = false

  constructor(protected readonly nextName: () => string = randomUUID) {}

  /** Writes a file that arrives to its end. Only the user of this process may read it. */
  async store({ name, fileName: clientName, contentType, content }: ArrivingFile): Promise<void> {
    const headers = { 'content-type': contentType }
    const file = new MultipartFile({ fieldName: name, clientName, headers }, {})
    this.files.push([name, file])

    const path = resolve(tmpdir(), this.nextName())
    this.#paths.push(path)
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    try {
      await pipeline(content, target)
      Object.assign(file, await fileType(path, clientName, contentType), {
        size: target.bytesWritten,
        tmpPath: path,
        state: 'consumed',
      })
    } finally {
      if (this.#deleted) {
        await rm(path, { force: true })
      }
    }
  }

  /** Deletes what is still in the temporary folder, and what is being written to it. */
  async delete(): Promise<void> {
    this.#deleted = true
    await Promise.all(this.#paths.map((path) => rm(path, { force: true })))
  }
}

/** As AdonisJS tells it: by its first bytes where the format has a signature, else by what the client says. */
async function fileType(path: string, clientName: string, contentType: string) {
  const said = extname(clientName).slice(1).toLowerCase()
  const hasSignature = !said || supportedExtensions.has(said as never)
  const found = hasSignature ? await readSignature(path) : undefined
  const [type, subtype] = (found?.mime ?? contentType).split(';')[0]!.trim().split('/')
  return { extname: found?.ext ?? said, type, subtype }
}

async function readSignature(path: string) {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0)
  return fileTypeFromBuffer(buffer.subarray(0, bytesRead))
}
