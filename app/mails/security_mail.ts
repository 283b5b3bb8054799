import app from '@adonisjs/core/services/app'
import i18nManager from '@adonisjs/i18n/services/main'

import type { SecurityEvent, SecurityEventType } from 'adonis-auth-kit/auth/security_events'
import { appUrl } from '#config/app'
import { WordedMail } from '#mails/worded_mail'
import { SecurityLog } from 'adonis-auth-kit/security_log/security_log'
import { callerOf, describeDevice } from 'adonis-auth-kit/http/device'
import { MOMENT, currentWords, deviceInWords } from 'adonis-auth-kit/http/words'

/** Where a person puts right what somebody else has done; without an entry on the pages of the account. */
const REMEDIES: Partial<Record<SecurityEventType, string>> = {
  /* feature: passwords */
  password_changed: '/password/forgot',
  email_change_requested: '/password/forgot',
  /* /feature */
  email_changed: '/',
  account_deleted: '/',
}

/** Tells a person what has happened to the security of their account, in case it was not them. */
export default class SecurityMail extends WordedMail {
  /** Whether people are told of such an event: `mails.security.<type>` has a subject, and it is not empty. */
  static isFor(type: SecurityEventType): boolean {
    return Boolean(
      currentWords(i18nManager).resolveIdentifier(`mails.security.${type}.subject`)?.message
    )
  }

  constructor({ type, details, user, ctx }: SecurityEvent) {
    const { ipAddress, userAgent } = callerOf(ctx)
    super('from' in details ? details.from : user.email, {
      words: `mails.security.${type}`,
      values: {
        ...details,
        time: currentWords(i18nManager).formatDate(new Date(), MOMENT),
        device: deviceInWords(describeDevice(userAgent), currentWords(i18nManager)),
        address: ipAddress ?? '',
      },
      link: new URL(REMEDIES[type] ?? accountPage(), appUrl).href,
    })
  }
}

function accountPage() {
  return app.container.hasBinding(SecurityLog) ? '/account/security' : '/account'
}
