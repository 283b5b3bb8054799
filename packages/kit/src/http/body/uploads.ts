import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { MultipartFile } from '@adonisjs/core/bodyparser'
import { fileTypeFromBuffer, supportedExtensions } from 'file-type'

import type { ArrivingFile } from '#http/body/multipart'

/** Enough for every signature, as the library says. */
const SIGNATURE_BYTES = 4100

/** The files of one request, in the temporary folder until `delete` is called. */
export class Uploads {
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
