import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'

import type { SecurityEvent, SecurityEventType } from 'adonis-auth-kit/auth/security_events'
import AddressTakenMail from '#mails/address_taken_mail'
import PasswordResetMail from '#mails/password_reset_mail'
import SecurityMail from '#mails/security_mail'
import VerifyAddressMail from '#mails/verify_address_mail'
import { WordedMail } from '#mails/worded_mail'
import WorkspaceInvitationMail from '#mails/workspace_invitation_mail'
import WorkspaceRemovalMail from '#mails/workspace_removal_mail'
import User from '#models/user'
import { appUrl } from '#config/app'

const EMAIL = 'ann@example.com'
const SECURITY = 'mails.security.'

/** Every mail by its name, as it would be sent by this request. */
export function mailPreviews(ctx: HttpContext): Record<string, () => WordedMail> {
  const user = new User().fill({ email: EMAIL, fullName: 'Ann Example' })
  const details = { name: 'My laptop', from: EMAIL, to: 'ann@new.example.com', count: 2 }
  const words = Object.keys(i18nManager.getTranslationsFor(i18nManager.defaultLocale))
  const types = words.flatMap((key) =>
    key.startsWith(SECURITY) && key.endsWith('.subject') ? key.slice(SECURITY.length, -8) : []
  ) as SecurityEventType[]
  return {
    /* feature: email_verification */
    verify_address: () =>
      new VerifyAddressMail({ email: EMAIL, link: `${appUrl}/email/verify/1`, expire: 1440 }),
    address_taken: () => new AddressTakenMail(EMAIL),
    /* /feature */
    /* feature: mail_code */
    mail_code: () =>
      new WordedMail(EMAIL, {
        words: 'mails.mail_code',
        values: { code: '123456', minutes: 10 },
        link: `${appUrl}/login/code?code=123456`,
      }),
    /* /feature */
    /* feature: passwords */
    password_reset: () =>
      new PasswordResetMail({ email: EMAIL, token: 'x'.repeat(43), url: appUrl, expire: 60 }),
    /* /feature */
    /* feature: workspaces */
    workspace_invitation: () =>
      new WorkspaceInvitationMail({ email: EMAIL, token: 'x', workspace: 'Example', days: 7 }),
    workspace_removal: () => new WorkspaceRemovalMail(EMAIL, 'Example'),
    /* /feature */
    ...Object.fromEntries(
      types.map((type) => [
        type,
        () => new SecurityMail({ type, details, user, ctx } as unknown as SecurityEvent),
      ])
    ),
  }
}
