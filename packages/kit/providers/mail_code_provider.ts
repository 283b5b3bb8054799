import { FeatureProvider } from '#auth/feature_provider'
import { defineConfig } from '#mail_code/define_config'
import { MailCodes, MailCodeStep } from '#mail_code/mail_codes'
import { DatabaseMailCodeStore, MemoryMailCodeStore } from '#mail_code/store'
import { Background } from '#process/background'

const Codes = () => import('adonis-auth-kit/mail_code/controllers/mail_code_controller')

/** Codes by mail, to sign in, after the password, and to confirm: the `mailCodes` feature, its routes and its login step. */
export default class MailCodeProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const encryption = await this.make('encryption')
    const config = this.requireConfig('mail_code', defineConfig)
    const codes = new MailCodes(config, {
      manager,
      store: await this.store(config, MemoryMailCodeStore, DatabaseMailCodeStore),
      background: await this.app.container.make(Background),
      encryption: encryption.use(),
      appUrl: this.app.config.get('app.appUrl'),
    })
    manager.registerFeature('mailCodes', codes)
    manager.loginSteps.add(new MailCodeStep(() => manager.feature('mailCodes')))
    await this.purge('expired codes of mails', () => codes.purge())
    const edge = await this.edge()
    edge?.global('mailsCodes', () => manager.feature('mailCodes')?.config.signIn ?? false)
  }

  /** The pages need sessions. */
  async start() {
    const manager = await this.make('auth_manager')
    if (manager.feature('sessions')) {
      const router = await this.make('router')
      router.get('/login/code', [Codes, 'create']).as('login.code.show')
      router.post('/login/code', [Codes, 'store']).as('login.code')
      router.post('/login/code/verify', [Codes, 'verify']).as('login.code.verify')
      router.get('/confirm/code', [Codes, 'createConfirmation']).as('confirm.code.show')
      router.post('/confirm/code', [Codes, 'storeConfirmation']).as('confirm.code')
      router.post('/confirm/code/verify', [Codes, 'verifyConfirmation']).as('confirm.code.verify')
    }
  }
}
