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
   * The session room has its own guard: Shield's encrypts its cookie, names its
   * field otherwise, and starts a session for every caller.
   */
  csrf: { enabled: false },

  xFrame: { enabled: true, action: 'DENY' },
  hsts: { enabled: true, maxAge: '180 days' },
  contentTypeSniffing: { enabled: true },
})
