import { isAbsolute } from 'node:path'

import app from '@adonisjs/core/services/app'

import { isLoopback } from '#http/loopback'

/** What a check has found: nothing wrong, something to know, or something to mend. */
export interface Finding {
  level: 'ok' | 'warning' | 'error'
  /** What was checked, in a word or two. */
  about: string
  /** One sentence, with what to do when something is wrong. */
  text: string
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warning = (about: string, text: string): Finding => ({ level: 'warning', about, text })
export const error = (about: string, text: string): Finding => ({ level: 'error', about, text })

/** AdonisJS needs it (see bin/runtime.js). */
const NODE_MAJOR = 24

/** Characters of a secret that cannot be guessed: 32 bytes in Base64 are 43. */
const KEY_LENGTH = 32

/** The port of an APP_URL on this computer that is not the one listened on; null when it is, or APP_URL is elsewhere. */
export function portElsewhere(appUrl: string, port: number): string | null {
  const { hostname, protocol, port: named } = new URL(appUrl)
  const own = named || (protocol === 'https:' ? '443' : '80')
  return isLoopback(hostname) && own !== String(port) ? own : null
}

export function judgeNode(version: string): Finding {
  return Number(version.replace(/^v/, '').split('.')[0]) >= NODE_MAJOR
    ? ok('Node.js', version)
    : error('Node.js', `${version} is too old: install Node.js ${NODE_MAJOR} or newer`)
}

/** A key is judged by its length and by what it repeats, and never shown. */
export function judgeKey(about: string, key: string, inProduction: boolean): Finding {
  const complain = complaint(inProduction)
  if (key.length < KEY_LENGTH) {
    return complain(about, `shorter than ${KEY_LENGTH} characters: set 32 random bytes`)
  }
  return new Set(key).size < 10
    ? complain(about, 'repeats itself: set 32 random bytes')
    : ok(about, 'long enough')
}

/** What a wrong setting is: an error in production alone. */
export const complaint = (inProduction: boolean) => (inProduction ? error : warning)

/** @param secure `secure` of each kind of cookie */
export function judgeCookies(secure: readonly boolean[], inProduction: boolean): Finding {
  /* The variable is the starter's: other applications have the settings alone. */
  const remedy = process.env.SESSION_SECURE
    ? 'SESSION_SECURE=true'
    : '"secure" in config/app.ts and config/session.ts'
  const text = `travel over plain http, where they can be stolen. Set ${remedy}`
  return secure.every(Boolean)
    ? ok('cookies', 'sent over https only')
    : complaint(inProduction)('cookies', text)
}

/** In development APP_URL is this computer, and has its port: links and AI clients go there. */
export function judgePort(appUrl: string, port: number): Finding[] {
  const elsewhere = portElsewhere(appUrl, port)
  const text = `names port ${elsewhere}, and the application listens on ${port}: AI clients and links in mails go to the wrong one. Set APP_URL=http://localhost:$PORT`
  return elsewhere === null ? [] : [warning('APP_URL', text)]
}

export function judgeProductionSettings(settings: ProductionSettings): Finding[] {
  const warnings = productionWarnings(settings)
  return warnings.length
    ? warnings.map((text) => warning('setting', text))
    : [ok('settings', 'what a start would warn about suits production')]
}

export interface ProductionSettings {
  appUrl: string
  mailer: string | undefined
  limiterStore?: string | undefined
  /** Settings whose rows are kept in the memory of the process. */
  inMemory?: readonly string[]
  /** null when there is none, undefined when the application is no authorization server. */
  issuer?: string | null | undefined
  /** null when another database is used, or no variable names the file. */
  sqliteFile: string | null
}

/** One sentence or two for every setting that is wrong in production. */
export function productionWarnings(settings: ProductionSettings): string[] {
  const { appUrl, mailer, limiterStore, inMemory = [], issuer, sqliteFile } = settings
  const warnings = [
    !appUrl.startsWith('https://') &&
      `APP_URL is ${appUrl}: the links in mails lead to plain http, where passwords and reset tokens can be read on the way. Set it to the https address of this application.`,
    new URL(appUrl).pathname !== '/' &&
      `APP_URL is ${appUrl}: pages, links and cookies are those of a whole host, without this path. Give the application a host of its own.`,
    mailer === 'log' &&
      'MAIL_MAILER is "log": no mail is sent, so nobody gets a password reset link. Set MAIL_MAILER=smtp and the SMTP_* variables.',
    limiterStore === 'memory' &&
      'LIMITER_STORE is "memory": each process counts failed attempts for itself and forgets them at a restart, so several processes allow several times the limits. Set LIMITER_STORE=database or redis.',
    ...inMemory.map(
      (name) =>
        `${name}.store is "memory": what it keeps is lost at a restart, and no other process has it. Set it to "database" in config/${name.split('.')[0]}.ts.`
    ),
    issuer === null &&
      'OAUTH_ISSUER is not set: access tokens have no "iss", and the metadata names whatever host a request was sent to. Set it to the public https address of this server.',
    sqliteFile !== null &&
      !isAbsolute(sqliteFile) &&
      `SQLITE_FILE is ${sqliteFile}, a path inside the build folder: the next build deletes the database. Set it to an absolute path outside of it.`,
  ]
  return warnings.filter((one) => one !== false)
}

const STORES = [
  ...['session', 'api_token', 'security_log', 'social', 'mail_code', 'mcp.tasks'],
  ...['oauth2.tokens', 'oauth2.clients', 'oauth2.keys'],
]

export async function readSettings(): Promise<ProductionSettings> {
  const { config, container } = app
  const made = async (name: 'mail.manager' | 'limiter.manager') =>
    container.hasBinding(name) ? container.make(name) : undefined
  const [mail, limiters] = [await made('mail.manager'), await made('limiter.manager')]
  /* Its config/database.ts names the file itself. */
  const isExisting = config.has('auth_server') && !process.env.SQLITE_FILE
  const oauth2 = config.get<{ issuer?: string | null } | undefined>('oauth2')
  return {
    appUrl: config.get('app.appUrl'),
    mailer: mail && String(mail.config.default),
    limiterStore: limiters && String(limiters.config.default),
    inMemory: STORES.filter((name) => config.get(`${name}.store`, null) === 'memory'),
    issuer: oauth2 && (oauth2.issuer ?? null),
    sqliteFile:
      config.get('database.connection') === 'sqlite' && !isExisting
        ? process.env.SQLITE_FILE || 'tmp/db.sqlite3'
        : null,
  }
}
