import { defineConfig } from '@adonisjs/core/http'

import env from '#start/env'

/** What the application is called: on its pages, in its mails, and where clients show it. */
export const appName = 'AdonisJS starter'

/** Where people reach the application; links in mails start with it. */
export const appUrl = env.get('APP_URL')

export const http = defineConfig({
  generateRequestId: true,

  /**
   * Whose X-Forwarded-* headers are believed: those of the proxies in front of
   * this application, and of nobody else, or a caller could choose its address.
   */
  trustProxy: env.get('TRUST_PROXY'),

  /** A form field must never turn a POST into another method. */
  allowMethodSpoofing: false,

  /** The facades (Auth, Session, ApiToken) find the request they are called in through it. */
  useAsyncLocalStorage: true,

  /** Attributes of the application's own cookies. Those of sessions have theirs in config/session.ts. */
  cookie: {
    path: '/',
    httpOnly: true,
    secure: env.get('SESSION_SECURE', true),
    sameSite: 'lax',
  },
})
