import { defineConfig } from 'adonis-auth-kit/email_verification/define_config'
import { addresses } from '#services/addresses'

/** Minutes that a link works: a day. */
const LINK_EXPIRES = 24 * 60

/** Whether people receive mail at their address. */
export default defineConfig({
  expire: LINK_EXPIRES,

  /** Whether people without a verified address cannot sign in. When it is false, a line on every page reminds them. */
  required: false,

  /** How users carry their addresses. */
  addresses,

  /** Delivers links. */
  notifier: {
    async verify(_user, email, link) {
      const { default: mail } = await import('@adonisjs/mail/services/main')
      const { default: VerifyAddressMail } =
        await import('adonis-auth-kit/email_verification/verify_address_mail')
      await mail.send(new VerifyAddressMail({ email, link, expire: LINK_EXPIRES }))
    },
    async taken(email) {
      const { default: mail } = await import('@adonisjs/mail/services/main')
      const { default: AddressTakenMail } =
        await import('adonis-auth-kit/email_verification/address_taken_mail')
      await mail.send(new AddressTakenMail(email))
    },
  },
})
