import { defineConfig } from 'adonis-auth-kit/social/define_config'
import { apple, github, gitlab, google, microsoft, openIdConnect } from 'adonis-auth-kit/social'
import { socialAccounts } from '#services/social_accounts'
import env from '#start/env'

/** Minutes that a link works: it waits in the browser that asked for it. */
const LINK_EXPIRES = 60

/** Signing in through others. A provider is there when its variables are. */
export default defineConfig({
  providers: {
    google: google({
      clientId: env.get('GOOGLE_CLIENT_ID'),
      clientSecret: env.get('GOOGLE_CLIENT_SECRET'),
    }),
    microsoft: microsoft({
      clientId: env.get('MICROSOFT_CLIENT_ID'),
      clientSecret: env.get('MICROSOFT_CLIENT_SECRET'),
      tenant: env.get('MICROSOFT_TENANT'),
    }),
    apple: apple({
      clientId: env.get('APPLE_CLIENT_ID'),
      teamId: env.get('APPLE_TEAM_ID'),
      keyId: env.get('APPLE_KEY_ID'),
      privateKey: env.get('APPLE_PRIVATE_KEY'),
    }),
    github: github({
      clientId: env.get('GITHUB_CLIENT_ID'),
      clientSecret: env.get('GITHUB_CLIENT_SECRET'),
    }),
    gitlab: gitlab({
      clientId: env.get('GITLAB_CLIENT_ID'),
      clientSecret: env.get('GITLAB_CLIENT_SECRET'),
    }),
    openid: openIdConnect({
      label: env.get('OIDC_LABEL', 'OpenID'),
      issuer: env.get('OIDC_ISSUER'),
      clientId: env.get('OIDC_CLIENT_ID'),
      clientSecret: env.get('OIDC_CLIENT_SECRET'),
      trustedFor: env.get('OIDC_TRUSTED_FOR', '').split(/[\s,]+/),
    }),
  },

  /** Where identities are kept: "database", "memory" (this process alone, until it ends), or "instance" with a store of your own under `instance`. */
  store: 'database',

  /** Connection of the store "database", by its name in config/database.ts; undefined: the default connection. */
  connection: undefined,

  /** How accounts are found and made. */
  accounts: socialAccounts,

  expire: LINK_EXPIRES,

  /** Delivers links to addresses that a provider does not vouch for. */
  notifier: {
    async verify(email, link) {
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
