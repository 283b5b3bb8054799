import { defineConfig } from 'adonis-auth-kit/security_log/define_config'

/** What has happened to the security of an account, as its person sees it. */
export default defineConfig({
  /** Where events are kept: "database", "memory" (this process alone, until it ends), or "instance" with a store of your own under `instance`. */
  store: 'database',

  /** Connection of the store "database", by its name in config/database.ts; undefined: the default connection. */
  connection: undefined,

  /** Days that an event is kept. */
  retention: 180,

  /** Seconds between two purges of old events. */
  purgeInterval: 3600,
})
