import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { args } from '@adonisjs/core/ace'

import { OpenApi } from '#openapi/openapi'
import { StartedCommand } from '#process/kit_command'

export default class OpenApiExport extends StartedCommand {
  static commandName = 'openapi:export'
  static description = 'Write the OpenAPI description of all routes to a file, or print it'

  @args.string({ description: 'The file; without it the description is printed', required: false })
  declare file?: string

  async run() {
    const openapi = await this.bound(OpenApi, 'OpenApiProvider')
    const text = `${JSON.stringify(await openapi.document(), null, 2)}\n`
    if (this.file === undefined) {
      return void process.stdout.write(text)
    }
    const path = this.app.makePath(this.file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    this.logger.success(`Wrote ${this.file}`)
  }
}
