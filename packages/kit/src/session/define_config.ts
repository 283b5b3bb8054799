import { assertArgument, assertKind, markResolved, positiveNumber } from '#config/checks'
import { type ModelImport, type Resolved, type StoreConfig, withStore } from '#config/store_config'
import type Session from '#session/models/session'
import type { SessionStore } from '#session/store'

/** The settings of `config/session.ts`. */
export interface SessionConfig extends StoreConfig<SessionStore> {
  /**
   * Imports the model of the `database` store, which extends the kit's. It makes sessions, lists and ends them; the
   * session of a request is read by plain statement. Default: the kit's.
   */
  model?: ModelImport<typeof Session>
  /** Session cookie name. Default `service_session`. */
  cookie?: string
  /** Absolute lifetime in seconds. Default 7200. */
  ttl?: number
  /** Absolute lifetime in seconds of a session with `remember`. Default 2592000, which is 30 days. */
  rememberTtl?: number
  /** Seconds after which `middleware.confirmed()` asks again who somebody is. Default 900. */
  confirmationTtl?: number
  /** Idle timeout in seconds; null turns it off. Default null. */
  idleTtl?: number | null
  /** The cookie's `HttpOnly`. Default true. */
  httpOnly?: boolean
  /** The `SameSite` of both cookies. Default `lax`. */
  sameSite?: 'lax' | 'strict' | 'none'
  /** The `Secure` of both cookies. Default true; a warning is logged when false. */
  secure?: boolean
  /** The `Domain` of both cookies. Default: the host alone. */
  domain?: string
  /** The `Path` of both cookies. Default `/`. */
  path?: string
  /**
   * Names both cookies with the prefix `__Host-` where they are `secure`: a browser then takes them
   * from this host only, and no other host of the domain can plant one (RFC 6265bis §4.1.3.2).
   * Needs no `domain` and the path `/`. Default false.
   */
  hostPrefix?: boolean
  /** Seconds between two purges of expired sessions. Default 300. */
  purgeInterval?: number
  /** Readable cookie that carries the CSRF token. Default `XSRF-TOKEN`. */
  csrfCookie?: string
  /** Header that must carry the token. Default `X-XSRF-TOKEN`. */
  csrfHeader?: string
  /** Form field that may carry the token. Default `_token`. */
  csrfField?: string
  /** Paths without a CSRF check; a trailing `*` matches a prefix. */
  csrfExemptPaths?: string[]
}

export type ResolvedSessionConfig = Resolved<Omit<SessionConfig, 'hostPrefix'>, 'model' | 'domain'>

/** @throws {InvalidArgumentsException} for a wrong setting, and for cookie attributes that browsers refuse together */
export function defineConfig(config: SessionConfig = {}): ResolvedSessionConfig {
  const { hostPrefix, ...settings } = withStore('SessionConfig', config, 'memory', {
    model: undefined,
    cookie: 'service_session',
    ttl: 7200,
    rememberTtl: 2_592_000,
    confirmationTtl: 900,
    idleTtl: null,
    httpOnly: true,
    sameSite: 'lax',
    secure: true,
    domain: undefined,
    path: '/',
    hostPrefix: false,
    purgeInterval: 300,
    csrfCookie: 'XSRF-TOKEN',
    csrfHeader: 'X-XSRF-TOKEN',
    csrfField: '_token',
    csrfExemptPaths: [] as string[],
  })
  for (const setting of ['csrfHeader', 'csrfField'] as const) {
    const kind = 'a name of letters, digits and signs like - and _'
    assertKind('SessionConfig', setting, settings[setting], kind)
  }
  assertKind('SessionConfig', 'csrfExemptPaths', settings.csrfExemptPaths, 'a list of texts')
  const { secure, sameSite, domain, path, idleTtl } = settings
  const isKnown = ['lax', 'strict', 'none'].includes(sameSite)
  assertArgument(isKnown, 'SessionConfig: "sameSite" must be "lax", "strict" or "none"')
  const open = 'SessionConfig: browsers drop a cookie with "sameSite" none unless it is "secure"'
  assertArgument(sameSite !== 'none' || secure, open)
  const wide =
    'SessionConfig: browsers drop a cookie with the prefix "__Host-" unless it has no "domain" and the "path" /'
  assertArgument(!hostPrefix || (!domain && path === '/'), wide)
  const equal = 'SessionConfig: "cookie" and "csrfCookie" must have different names'
  assertArgument(settings.cookie !== settings.csrfCookie, equal)
  assertArgument(path.startsWith('/'), 'SessionConfig: "path" must begin with /')
  const prefix = hostPrefix && secure ? '__Host-' : ''
  return markResolved({
    ...settings,
    cookie: prefix + settings.cookie,
    csrfCookie: prefix + settings.csrfCookie,
    idleTtl: positiveNumber('SessionConfig', 'idleTtl', idleTtl ?? 0, { orZero: true }) || null,
  })
}
