import { defineConfig } from '@adonisjs/shield'

import type { SecurityConfig } from 'adonis-auth-kit/http'

const shieldConfig = defineConfig({
  csp: {
    enabled: true,
    directives: {
      defaultSrc: [`'self'`],
      baseUri: [`'none'`],
      /* The consent page adds where its client is; see allowFormTarget. */
      formAction: [`'self'`],
      frameAncestors: [`'none'`],
      objectSrc: [`'none'`],
    },
    reportOnly: false,
  },

  /**
   * `packages/kit/src/session/csrf.ts` does this instead: Shield's guard encrypts its cookie,
   * uses another field name, and starts a session for every caller.
   */
  csrf: { enabled: false },

  xFrame: { enabled: true, action: 'DENY' },
  /* `includeSubDomains: true` where every host below this one has https. */
  hsts: { enabled: true, maxAge: '365 days' },
  contentTypeSniffing: { enabled: true },
})

/** Shield's headers, and those that it does not know. */
export default {
  ...shieldConfig,
  headers: {
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
  },
} satisfies SecurityConfig
