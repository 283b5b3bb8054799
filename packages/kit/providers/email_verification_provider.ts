import { FeatureProvider } from '#auth/feature_provider'
import { EmailVerification, LINK_ROUTE } from '#email_verification/email_verification'
import type { ResolvedEmailVerificationConfig } from '#email_verification/define_config'
import { Background } from '#process/background'

const Verification = () =>
  import('adonis-auth-kit/email_verification/controllers/verification_controller')

/** Verified e-mail addresses: the links, their routes and pages, `middleware.verified()` and the `emailVerification` feature. */
export default class EmailVerificationProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const verification = new EmailVerification({
      config: this.app.config.get<ResolvedEmailVerificationConfig>('email_verification'),
      manager,
      router: await this.make('router'),
      background: await this.app.container.make(Background),
      appUrl: this.app.config.get('app.appUrl'),
    })
    this.app.container.bindValue(EmailVerification, verification)
    manager.registerFeature('emailVerification', verification)
    const edge = await this.edge()
    edge?.global('addressToVerify', (user: unknown) => verification.addressToVerify(user))
  }

  /** The link of a mail, and what a signed-in person does about their address. The pages need sessions. */
  async start() {
    const manager = await this.make('auth_manager')
    if (manager.feature('sessions')) {
      const router = await this.make('router')
      router.get('/email/verify', [Verification, 'notice']).as('email.notice')
      router.post('/email/verify', [Verification, 'resend']).as('email.resend')
      router.get('/email/verify/:id', [Verification, 'open']).as(LINK_ROUTE)
      router.post('/email/verify/:id', [Verification, 'follow']).as('email.follow')
    }
  }
}
