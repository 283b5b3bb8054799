import { defineConfig } from '@adonisjs/shield'

export default defineConfig({
  csp: {
    enabled: true,
    directives: {
      defaultSrc: [`'self'`],
      baseUri: [`'self'`],
      frameAncestors: [`'none'`],
      objectSrc: [`'none'`],
    },
    reportOnly: false,
  },

  /**
   * `modules/session/csrf.ts` does this instead: Shield's guard encrypts its cookie,
   * uses another field name, and starts a session for every caller.
   */
  csrf: { enabled: false },

  xFrame: { enabled: true, action: 'DENY' },
  hsts: { enabled: true, maxAge: '180 days' },
  contentTypeSniffing: { enabled: true },
})
