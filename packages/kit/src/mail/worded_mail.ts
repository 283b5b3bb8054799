import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import i18nManager from '@adonisjs/i18n/services/main'
import { BaseMail } from '@adonisjs/mail'

import { designToken } from '#mail/design_tokens'
import { pathTo } from '#http/pages'
import { currentWords } from '#http/words'

export interface Wording {
  /** Group of messages: its `subject`, `before`, `button` and `after`. */
  words: string
  /** What the words leave open; `app` is the name of the application. */
  values?: Record<string, string | number>
  /** Where the button leads. Without it there is no button. */
  link?: string
}

/** A mail whose words stand with those of all mails, in the language of the request that sends it. */
export class WordedMail extends BaseMail {
  readonly #email: string
  readonly #contents: Record<string, unknown>

  constructor(email: string, { words, values, link }: Wording) {
    super()
    const i18n = currentWords(i18nManager)
    const appName = app.config.get<string>('app.appName')
    const read = (part: string) => {
      const found = i18n.resolveIdentifier(`${words}.${part}`)
      return found ? i18n.formatRawMessage(found.message, { app: appName, ...values }) : undefined
    }
    this.#email = email
    /* Mail programs would show another text for a name that looks like an encoded word (RFC 2047 §2). */
    this.subject = read('subject')?.replaceAll('=?', '= ?') ?? ''
    const parts = { before: read('before'), button: read('button'), after: read('after') }
    this.#contents = { appName, token: designToken, link, subject: this.subject, ...parts }
  }

  prepare() {
    this.message
      .to(this.#email)
      .htmlView('mails/message', this.#contents)
      .textView('mails/message_text', this.#contents)
  }
}

export const ownUrl = (path: string) => new URL(path, app.config.get<string>('app.appUrl')).href

/** The address of a route of this application, for a link: of its start page when there is no such route. */
export function linkTo(name: string, params: readonly unknown[] = []): string {
  /* A command has no server that would have committed the routes. */
  router.commit()
  return ownUrl(pathTo(name, params))
}
