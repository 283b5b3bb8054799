import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'

import AddressTakenMail from '#email_verification/address_taken_mail'
import PasswordResetMail from '#password_reset/password_reset_mail'
import type { SecurityEventType } from '#auth/security_events'
import SecurityMail from '#accounts/security_mail'
import VerifyAddressMail from '#email_verification/verify_address_mail'
import { WordedMail, linkTo, ownUrl } from '#mail/worded_mail'
import WorkspaceInvitationMail from '#workspaces/workspace_invitation_mail'

const EMAIL = 'ann@example.com'

/** Details of the kit's own events. */
const DETAILS = { name: 'My laptop', from: EMAIL, to: 'ann@new.example.com', count: 2 }

/** The values that a mail's words name: `{phone}` stands for itself, and `{days, number}`, or a plural, is 2. */
function exampleDetails(group: string, words: Record<string, string>) {
  const texts = Object.keys(words).filter((key) => key.startsWith(`mails.${group}.`))
  const named = texts.flatMap((key) => [...words[key]!.matchAll(/\{\s*(\w+)\s*([},])/g)])
  const examples = named.map(([, name, end]) => [name, end === ',' ? 2 : `{${name}}`])
  return { ...Object.fromEntries(examples), ...DETAILS }
}

/** Every mail by its name, as it would be sent by this request: each group of words with a subject is one. */
export function mailPreviews(ctx: HttpContext): Record<string, () => WordedMail> {
  const made: Record<string, () => WordedMail> = {
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
  }
  const words = i18nManager.getTranslationsFor(i18nManager.defaultLocale)
  for (const key of Object.keys(words)) {
    const [, group, event] = /^mails\.((?:security\.(.+)|.+))\.subject$/.exec(key) ?? []
    const details = () => exampleDetails(group!, words)
    if (SecurityMail.isFor(event as SecurityEventType)) {
      const user = { email: EMAIL }
      made[event!] = () => new SecurityMail({ type: event, details: details(), user, ctx } as any)
    } else if (group && !event) {
      const link = words[`mails.${group}.button`] && linkTo('mail_preview.index')
      made[group] ??= () =>
        new WordedMail(EMAIL, { words: `mails.${group}`, values: details(), link })
    }
  }
  return made
}
