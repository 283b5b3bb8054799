import env from '#start/env'
import { defineConfig } from 'adonis-auth-kit/api_token/define_config'

/** Origins of single-page apps that sign in with the session cookie. */
const apps = env.get('STATEFUL_ORIGINS')

export default defineConfig({
  /** Where tokens live: "database", "memory" (this process alone, until it ends), or "instance" with a repository of your own under `instance`. */
  store: env.get('API_TOKEN_STORE', 'database'),

  /** Connection of the store "database", by its name in config/database.ts; undefined: the default connection. */
  connection: undefined,

  /** The model of the store "database", with columns, hooks and relations of your own; not for the token of each request, which a plain statement reads. */
  model: () => import('#models/personal_api_token'),

  /** Header that carries a token. A custom header may omit the `Bearer` prefix. */
  header: 'Authorization',

  /** Seconds that a token lives, unless its creator says otherwise; null: for ever. */
  ttl: null,

  /** Seconds between two purges of expired tokens. */
  purgeInterval: 300,

  /**
   * One or more turn SPA mode on: pages of these origins use the session, and
   * those of any other are refused. The application's own pages are among them.
   */
  statefulOrigins: apps.length ? [...new Set([...apps, new URL(env.get('APP_URL')).origin])] : [],

  /** Session guard that token guards ask first in SPA mode. */
  sessionGuard: 'web',
})
