import type { ApplicationService } from '@adonisjs/core/types'

import { BodyReader } from '#http/body/body_reader'
import { type BodyConfig, defineConfig } from '#http/define_config'

/** Bodies of requests: binds what the middleware of `start/kernel.ts` works with. */
export default class HttpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton(
      BodyReader,
      () => new BodyReader(this.app.config.get<BodyConfig>('bodyparser', defineConfig()))
    )
  }
}
