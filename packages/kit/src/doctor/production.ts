import { isAbsolute } from 'node:path'

import app from '@adonisjs/core/services/app'

export interface ProductionSettings {
  appUrl: string
  mailer: string | undefined
  limiterStore?: string | undefined
  /** null when there is none, undefined when the application is no authorization server. */
  issuer?: string | null | undefined
  /** null when another database is used. */
  sqliteFile: string | null
}

/** One sentence or two for every setting that is wrong in production. */
export function productionWarnings(settings: ProductionSettings): string[] {
  const { appUrl, mailer, sqliteFile } = settings
  const warnings: string[] = []

  if (!appUrl.startsWith('https://')) {
    warnings.push(
      `APP_URL is ${appUrl}: the links in mails lead to plain http, where passwords and reset tokens can be read on the way. Set it to the https address of this application.`
    )
  }
  if (mailer === 'log') {
    warnings.push(
      'MAIL_MAILER is "log": no mail is sent, so nobody gets a password reset link. Set MAIL_MAILER=smtp and the SMTP_* variables.'
    )
  }
  if (settings.limiterStore === 'memory') {
    warnings.push(
      'LIMITER_STORE is "memory": each process counts failed attempts for itself and forgets them at a restart, so several processes allow several times the limits. Set LIMITER_STORE=database or redis.'
    )
  }
  if (settings.issuer === null) {
    warnings.push(
      'OAUTH_ISSUER is not set: access tokens have no "iss", and the metadata names whatever host a request was sent to. Set it to the public https address of this server.'
    )
  }
  if (sqliteFile !== null && !isAbsolute(sqliteFile)) {
    warnings.push(
      `SQLITE_FILE is ${sqliteFile}, a path inside the build folder: the next build deletes the database. Set it to an absolute path outside of it.`
    )
  }
  return warnings
}

/** What the application is configured with. */
export async function readSettings(): Promise<ProductionSettings> {
  const { container } = app
  const mail = container.hasBinding('mail.manager') && (await container.make('mail.manager'))
  const oauth2 = app.config.get<{ issuer?: string | null } | undefined>('oauth2')
  return {
    appUrl: app.config.get('app.appUrl'),
    mailer: mail ? String(mail.config.default) : undefined,
    limiterStore: await limiterStore(),
    issuer: oauth2 && (oauth2.issuer ?? null),
    sqliteFile:
      app.config.get('database.connection') === 'sqlite'
        ? process.env.SQLITE_FILE || 'tmp/db.sqlite3'
        : null,
  }
}

/** Where failed attempts are counted; undefined where they are not. */
async function limiterStore(): Promise<string | undefined> {
  if (!app.container.hasBinding('limiter.manager')) {
    return undefined
  }
  const limiters = await app.container.make('limiter.manager')
  return String(limiters.config.default)
}
