import app from '@adonisjs/core/services/app'
import i18nManager from '@adonisjs/i18n/services/main'

import type { SecurityEvent, SecurityEvents, SecurityEventType } from '#auth/security_events'
import { WordedMail, linkTo } from '#mail/worded_mail'
import { SecurityLog } from '#security_log/security_log'
import { callerOf, describeDevice } from '#http/device'
import { MOMENT, currentWords, deviceInWords } from '#http/words'

/** The route where a person puts right what somebody else has done. Default: a page of the account. */
const REMEDIES: Partial<Record<SecurityEventType, string>> = {
  password_changed: 'password.request',
  email_change_requested: 'password.request',
  email_changed: 'start.show',
  account_deleted: 'start.show',
}

/** Tells a person what has happened to the security of their account, in case it was not them. */
export default class SecurityMail extends WordedMail {
  /** Whether people are told of such an event: `mails.security.<type>` has a subject, and it is not empty. */
  static isFor(type: SecurityEventType): boolean {
    const subject = `mails.security.${type}.subject`
    return Boolean(currentWords(i18nManager).resolveIdentifier(subject)?.message)
  }

  constructor(event: SecurityEvent) {
    const { type, details, user, ctx } = event
    const { ipAddress, userAgent } = callerOf(ctx)
    const i18n = currentWords(i18nManager)
    const hasLog = app.container.hasBinding(SecurityLog)
    const time = i18n.formatDate(new Date(), MOMENT)
    const device = deviceInWords(describeDevice(userAgent), i18n)
    /* The old address where that has changed. Other events may have a detail `from`, too. */
    const { from } = details as SecurityEvents['email_changed']
    super(type === 'email_changed' ? from : user.email, {
      words: `mails.security.${type}`,
      values: { ...details, time, device, address: ipAddress ?? '' },
      link: linkTo(REMEDIES[type] ?? (hasLog ? 'security.index' : 'account.profile.show')),
    })
  }
}
