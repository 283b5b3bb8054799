import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'

import AddressTakenMail from '#email_verification/address_taken_mail'
import PasswordResetMail from '#password_reset/password_reset_mail'
import type { SecurityEventType } from '#auth/security_events'
import SecurityMail from '#accounts/security_mail'
import VerifyAddressMail from '#email_verification/verify_address_mail'
import { WordedMail, ownUrl } from '#mail/worded_mail'
import WorkspaceInvitationMail from '#workspaces/workspace_invitation_mail'
import WorkspaceRemovalMail from '#workspaces/workspace_removal_mail'

const EMAIL = 'ann@example.com'

/** Details of the kit's own events. */
const DETAILS = { name: 'My laptop', from: EMAIL, to: 'ann@new.example.com', count: 2 }

/** The values that a mail's words name: `{phone}` stands for itself, and `{days, number}`, or a plural, is 2. */
function exampleDetails(type: string, words: Record<string, string>): Record<string, unknown> {
  const texts = Object.keys(words).filter((key) => key.startsWith(`mails.security.${type}.`))
  const named = texts.flatMap((key) => [...words[key]!.matchAll(/\{\s*(\w+)\s*([},])/g)])
  const examples = named.map(([, name, end]) => [name, end === ',' ? 2 : `{${name}}`])
  return { ...Object.fromEntries(examples), ...DETAILS }
}

/** Every mail by its name, as it would be sent by this request. */
export function mailPreviews(ctx: HttpContext): Record<string, () => WordedMail> {
  const words = i18nManager.getTranslationsFor(i18nManager.defaultLocale)
  const types = Object.keys(words)
    .flatMap((key) => /^mails\.security\.(.+)\.subject$/.exec(key)?.[1] ?? [])
    .filter((type) => SecurityMail.isFor(type as SecurityEventType))
  const securityMail = (type: string) => {
    const details = exampleDetails(type, words)
    return new SecurityMail({ type, details, user: { email: EMAIL }, ctx } as any)
  }
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
