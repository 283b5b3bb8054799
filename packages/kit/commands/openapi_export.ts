import { writeFile } from 'node:fs/promises'

import { BaseCommand, args } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { OpenApi } from '#openapi/openapi'

/** Writes the description of the HTTP interface (OpenAPI 3.1) to a file, or prints it. */
export default class OpenApiExport extends BaseCommand {
  static commandName = 'openapi:export'
  static description = 'Write the OpenAPI description of all routes to a file, or print it'
  static options: CommandOptions = { startApp: true }

  @args.string({ description: 'The file; without it the description is printed', required: false })
  declare file?: string

  async run() {
    if (!this.app.container.hasBinding(OpenApi)) {
      this.logger.error('OpenApiProvider is not registered in adonisrc.ts')
      this.exitCode = 1
      return
    }
    const openapi = await this.app.container.make(OpenApi)
    const text = `${JSON.stringify(await openapi.document(), null, 2)}\n`
    if (this.file === undefined) {
      process.stdout.write(text)
      return
    }
    await writeFile(this.app.makePath(this.file), text)
    this.logger.success(`Wrote ${this.file}`)
  }
}
