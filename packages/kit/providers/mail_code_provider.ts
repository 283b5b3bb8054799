import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { requireConfig } from '#config/file'
import { createStore } from '#config/store_config'
import { Purges } from '#database/purges'
import { type ResolvedMailCodeConfig, defineConfig } from '#mail_code/define_config'
import { MailCodeStep } from '#mail_code/login_step'
import { MailCodes } from '#mail_code/mail_codes'
import { mailCodeRoutes } from '#mail_code/routes'
import type { MailCodeStore } from '#mail_code/types'
import { Background } from '#process/background'

/** Seconds between two purges of expired codes. */
const PURGE_INTERVAL = 300

/** Codes by mail, to sign in, after the password, and to confirm: the `mailCodes` feature, its routes and its login step. */
export default class MailCodeProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'MailCodeProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const purges = await this.app.container.make(Purges)
    const encryption = await this.app.container.make('encryption')
    const config = requireConfig(this.app.config, 'mail_code', defineConfig)
    const codes = new MailCodes(config, {
      manager,
      store: await this.#store(config),
      background: await this.app.container.make(Background),
      encryption: encryption.use(),
      appUrl: this.app.config.get('app.appUrl'),
    })
    manager.registerFeature('mailCodes', codes)
    manager.loginSteps.add(new MailCodeStep(() => manager.feature('mailCodes')))
    purges.add({
      name: 'expired codes of mails',
      interval: PURGE_INTERVAL,
      run: () => codes.purge(),
    })
    if (this.app.usingEdgeJS) {
      const { default: edge } = await import('edge.js')
      edge.global('mailsCodes', () => manager.feature('mailCodes')?.isOffered ?? false)
    }
  }

  /** The pages need sessions. */
  async start() {
    const manager = await this.app.container.make('auth_manager')
    if (manager.feature('sessions')) {
      mailCodeRoutes(await this.app.container.make('router'))
    }
  }

  #store(config: ResolvedMailCodeConfig) {
    return createStore<MailCodeStore>(config, {
      memory: async () => {
        const { MemoryMailCodeStore } = await import('#mail_code/stores/memory')
        return new MemoryMailCodeStore()
      },
      database: async () => {
        const { DatabaseMailCodeStore } = await import('#mail_code/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseMailCodeStore(() => db.connection(config.connection))
      },
    })
  }
}
