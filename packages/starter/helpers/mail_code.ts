import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest } from '@japa/runner'

import { type MailCodeConfig, defineConfig } from '#kit/mail_code/define_config'
import { MailCodes } from '#kit/mail_code/mail_codes'
import { DatabaseMailCodeStore } from '#kit/mail_code/store'
import { Background } from '#kit/process/background'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { type Visitor } from '#starter/helpers/visitor'

/** A code that was mailed. */
export interface MailedCode {
  email: string
  code: string
  /** The path of the link. */
  link: string
}

/**
 * Turns codes by mail on, until the test ends.
 *
 * @returns the codes that are mailed
 */
export async function useMailCodes(
  settings: Partial<MailCodeConfig> = {},
  keyed = encryption.use()
): Promise<MailedCode[]> {
  const manager = await authManager()
  const original = manager.feature('mailCodes')!
  const mails: MailedCode[] = []
  const config = defineConfig({
    signIn: true,
    notifier: (email, { code, link }) => {
      const { pathname, search } = new URL(link)
      mails.push({ email, code, link: pathname + search })
    },
    ...settings,
  })
  const services = {
    manager,
    store: new DatabaseMailCodeStore(() => db.connection()),
    background: await app.container.make(Background),
    encryption: keyed,
    appUrl: app.config.get<string>('app.appUrl'),
  }
  manager.registerFeature('mailCodes', new MailCodes(config, services))
  getActiveTest()!.cleanup(() => {
    manager.registerFeature('mailCodes', original)
  })
  return mails
}

/** Asks for a code as a program does, and waits for the mail. */
export async function askForCode(visitor: Visitor, email: string, body: object = {}) {
  const json = { email, ...body }
  const response = await visitor.post('/login/code', { json, csrf: visitor.cookies.size > 0 })
  await afterReplies()
  return response
}

export function typeCode(visitor: Visitor, code: string, path = '/login/code/verify') {
  return visitor.send(path, { mail_code: code })
}

/** A code that is not this one. */
export const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
