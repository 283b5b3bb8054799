import { Encryption } from '@adonisjs/core/encryption'

import { AccessLog } from '#http/access_log'
import { assertCookieAttributes } from '#config/checks'
import { BodyReader } from '#http/body/body_reader'
import { validateBodiesAlone } from '#http/body/validated_body'
import { type BodyConfig, defineConfig } from '#http/define_config'
import { type SecurityConfig, SecurityHeaders } from '#http/security_headers'
import { signWithKeyObject } from '#http/signing_key'
import { StaticFiles } from '#http/static_files'
import { KitProvider } from '#process/kit_provider'

/** Bodies, headers and files: binds what the middleware of `start/kernel.ts` works with. */
export default class HttpProvider extends KitProvider {
  register() {
    const { container, config } = this.app
    container.resolving(Encryption, (encryption) => signWithKeyObject(encryption, this.app))
    container.singleton(
      BodyReader,
      () => new BodyReader(config.get<BodyConfig>('bodyparser', defineConfig()))
    )
    container.singleton(AccessLog, () => new AccessLog(config.get('app.accessLog', true)))
    container.singleton(SecurityHeaders, () =>
      SecurityHeaders.make(config.get<SecurityConfig>('shield', {}))
    )
    /* In development files come and go. */
    container.singleton(StaticFiles, () =>
      this.app.inDev ? new StaticFiles(null) : StaticFiles.in(this.app.publicPath())
    )
  }

  async boot() {
    assertCookieAttributes(this.app.config.get('app.http.cookie', {}))
    if (this.app.usingVineJS) {
      validateBodiesAlone()
    }
    const edge = await this.edge()
    if (edge) {
      const files = await this.app.container.make(StaticFiles)
      edge.global('publicFile', (path: string) => files.addressOf(path))
    }
  }
}
