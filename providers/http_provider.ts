import type { ApplicationService } from '@adonisjs/core/types'

import { BodyReader } from '#http/body/body_reader'
import { type BodyConfig, defineConfig } from '#http/define_config'
import { type SecurityConfig, SecurityHeaders } from '#http/security_headers'
import { StaticFiles } from '#http/static_files'

/** Bodies, headers and files: binds what the middleware of `start/kernel.ts` works with. */
export default class HttpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    const { container, config } = this.app
    container.singleton(
      BodyReader,
      () => new BodyReader(config.get<BodyConfig>('bodyparser', defineConfig()))
    )
    container.singleton(SecurityHeaders, () =>
      SecurityHeaders.make(config.get<SecurityConfig>('shield', {}))
    )
    /* In development files come and go. */
    container.singleton(StaticFiles, () =>
      this.app.inDev ? new StaticFiles(null) : StaticFiles.in(this.app.publicPath())
    )
  }
}
