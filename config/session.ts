import env from '#start/env'
import { defineConfig } from 'adonis-auth-kit/session/define_config'

export default defineConfig({
  /** Where sessions live: "database", "memory" (this process alone, until it ends), or "instance" with a store of your own under `instance`. */
  store: env.get('SESSION_STORE', 'database'),

  /** Connection of the store "database", by its name in config/database.ts; undefined: the default connection. */
  connection: undefined,

  /** The model of the store "database", with columns, hooks and relations of your own; not for the session of each request, which a plain statement reads. */
  model: () => import('#models/session'),

  /** Seconds that a session lives, from its start on. */
  ttl: 7200,

  /** Seconds that a session lives whose user asked to be remembered (30 days). */
  rememberTtl: 2_592_000,

  /** Seconds after which pages with `middleware.confirmed()` ask again for the password. */
  confirmationTtl: 900,

  /** Seconds without a request after which a session ends earlier; null: it does not. */
  idleTtl: null,

  /** Seconds between two purges of expired sessions. */
  purgeInterval: 300,

  /** Name of the session cookie. */
  cookie: 'service_session',

  /** Whether scripts are kept from reading the session cookie. */
  httpOnly: true,

  /** Whether browsers send the cookies with requests from other sites: "lax" with links only, "strict" never, "none" always (needs `secure`). */
  sameSite: 'lax',

  /** Whether the cookies travel over https only. Off for development over plain http, with a warning. */
  secure: env.get('SESSION_SECURE', true),

  /** Domain that the cookies are for, with its subdomains; undefined: this host alone. */
  domain: undefined,

  /** Paths that the cookies are for. */
  path: '/',

  /** Name of the readable cookie that carries the CSRF token. */
  csrfCookie: 'XSRF-TOKEN',

  /** Header of an unsafe request that has to repeat the token. */
  csrfHeader: 'X-XSRF-TOKEN',

  /** Form field that may carry the token instead. */
  csrfField: '_token',

  /** Paths without a CSRF check; a trailing "*" stands for whatever begins so: "/hooks/*". */
  csrfExemptPaths: [],
})
