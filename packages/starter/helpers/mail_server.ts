import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

import { getActiveTest } from '@japa/runner'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerEnvelope } from 'smtp-server'

/**
 * Starts an SMTP server that ends with the test.
 *
 * @param options.accept is awaited before a mail is accepted
 * @param options.credentials are asked for, when given
 */
export async function startMailServer(
  options: {
    accept?: () => Promise<void>
    credentials?: { username: string; password: string }
  } = {}
) {
  const mails: (Email & { envelope: { from: string; to: string[] } })[] = []
  const server = new SMTPServer({
    authOptional: !options.credentials,
    disabledCommands: options.credentials ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _, callback) {
      const right =
        username === options.credentials?.username && password === options.credentials?.password
      callback(right ? null : new Error('Wrong credentials'), { user: username })
    },
    onData(stream, session, callback) {
      receive(stream, session.envelope).then(() => {
        callback()
        server.emit('mail')
      }, callback)
    },
  })

  async function receive(stream: Readable, { mailFrom, rcptTo }: SMTPServerEnvelope) {
    const content = await buffer(stream)
    await options.accept?.()
    mails.push({
      ...(await PostalMime.parse(content)),
      envelope: {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
      },
    })
  }

  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  getActiveTest()!.cleanup(() => new Promise<void>((resolve) => server.close(() => resolve())))

  return {
    mails,
    /** What the application needs to send its mails here. */
    env: {
      MAIL_MAILER: 'smtp',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String((listening.address() as { port: number }).port),
      SMTP_USERNAME: options.credentials?.username ?? '',
      SMTP_PASSWORD: options.credentials?.password ?? '',
    },
    /** The next mail, or the first one that is there; of a subject, when one is given. */
    async next(subject?: string) {
      for (;;) {
        if (!mails.length) {
          await once(server, 'mail')
        }
        const mail = mails.shift()!
        if (subject === undefined || mail.subject === subject) {
          return mail
        }
      }
    },
  }
}
