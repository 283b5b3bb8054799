import { FeatureProvider } from '#auth/feature_provider'
import { requireConfig } from '#config/file'
import { createStore } from '#config/store_config'
import { defineConfig } from '#mail_code/define_config'
import { MailCodeStep } from '#mail_code/login_step'
import { MailCodes } from '#mail_code/mail_codes'
import { mailCodeRoutes } from '#mail_code/routes'
import { DatabaseMailCodeStore, type MailCodeStore, MemoryMailCodeStore } from '#mail_code/store'
import { Background } from '#process/background'

/** Codes by mail, to sign in, after the password, and to confirm: the `mailCodes` feature, its routes and its login step. */
export default class MailCodeProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const encryption = await this.make('encryption')
    const config = requireConfig(this.app.config, 'mail_code', defineConfig)
    const codes = new MailCodes(config, {
      manager,
      store: await createStore<MailCodeStore>(this.app, config, {
        memory: () => new MemoryMailCodeStore(),
        database: (client) => new DatabaseMailCodeStore(client),
      }),
      background: await this.app.container.make(Background),
      encryption: encryption.use(),
      appUrl: this.app.config.get('app.appUrl'),
    })
    manager.registerFeature('mailCodes', codes)
    manager.loginSteps.add(new MailCodeStep(() => manager.feature('mailCodes')))
    await this.purge('expired codes of mails', () => codes.purge())
    const edge = await this.edge()
    edge?.global('mailsCodes', () => manager.feature('mailCodes')?.isOffered ?? false)
  }

  /** The pages need sessions. */
  async start() {
    const manager = await this.make('auth_manager')
    if (manager.feature('sessions')) {
      mailCodeRoutes(await this.make('router'))
    }
  }
}
