import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'

import type { SecurityEvent } from '#auth/security_events'
import AddressTakenMail from '#email_verification/address_taken_mail'
import PasswordResetMail from '#password_reset/password_reset_mail'
import SecurityMail from '#accounts/security_mail'
import VerifyAddressMail from '#email_verification/verify_address_mail'
import { WordedMail, ownUrl } from '#mail/worded_mail'
import WorkspaceInvitationMail from '#workspaces/workspace_invitation_mail'
import WorkspaceRemovalMail from '#workspaces/workspace_removal_mail'

const EMAIL = 'ann@example.com'

/** Every mail by its name, as it would be sent by this request. */
export function mailPreviews(ctx: HttpContext): Record<string, () => WordedMail> {
  const details = { name: 'My laptop', from: EMAIL, to: 'ann@new.example.com', count: 2 }
  const words = Object.keys(i18nManager.getTranslationsFor(i18nManager.defaultLocale))
  const types = words.flatMap((key) => /^mails\.security\.(.+)\.subject$/.exec(key)?.[1] ?? [])
  const securityMail = (type: string) =>
    new SecurityMail({ type, details, user: { email: EMAIL }, ctx } as unknown as SecurityEvent)
  return {
    verify_address: () =>
      new VerifyAddressMail({ email: EMAIL, link: ownUrl('/email/verify/1'), expire: 1440 }),
    address_taken: () => new AddressTakenMail(EMAIL),
    mail_code: () =>
      new WordedMail(EMAIL, {
        words: 'mails.mail_code',
        values: { code: '123456', minutes: 10 },
        link: ownUrl('/login/code?code=123456'),
      }),
    password_reset: () =>
      new PasswordResetMail({ email: EMAIL, token: 'x'.repeat(43), url: ownUrl(''), expire: 60 }),
    workspace_invitation: () =>
      new WorkspaceInvitationMail({ email: EMAIL, token: 'x', workspace: 'Example', days: 7 }),
    workspace_removal: () => new WorkspaceRemovalMail(EMAIL, 'Example'),
    ...Object.fromEntries(types.map((type) => [type, () => securityMail(type)])),
  }
}
