import type { HttpContext } from '@adonisjs/core/http'

import { assemble, parseForm } from '#http/body/form'
import { parseJson } from '#http/body/json'
import { MultipartReader } from '#http/body/multipart'
import { readText } from '#http/body/read_text'
import { Uploads } from '#http/body/uploads'
import { type BodyConfig, bytes } from '#http/define_config'
import { UnsupportedBody } from '#http/errors'
import { onResponseEnd } from '#http/response_end'
import { isMarked, smallBody, usesMiddleware } from '#http/route_marks'
import { assertOr } from '#process/assert_or'

type Kind = HttpContext['request']['bodyType']

/** Bytes of a body of a route that is marked with `smallBody`. */
const SMALL = 64 * 1024

declare module '@adonisjs/core/http' {
  interface HttpRequest {
    /** A multipart body whose files have not been read yet. */
    pendingFiles?: MultipartReader
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
    const readAs = async (type: Kind, limit: number, parse: (text: string) => object) => {
      request.bodyType = type
      const text = await readText(request.request, small ? Math.min(limit, SMALL) : limit)
      request.updateRawBody(text)
      request.setInitialBody(parse(text))
    }

    if (isType(request, form.types)) {
      await readAs('urlencoded', form.limit, (text) => parseForm(text, form))
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
