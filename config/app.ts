import { defineConfig } from '@adonisjs/core/http'

import env from '#start/env'

/** What the application is called: on its pages, in its mails, and where clients show it. */
export const appName = 'AdonisJS starter'

/** Where people reach the application; links in mails start with it. */
export const appUrl = env.get('APP_URL')

/** Whether each request leaves a line in the log: method, route, status, milliseconds, request id, user id, client id. */
export const accessLog = env.get('ACCESS_LOG', true)

export const http = defineConfig({
  generateRequestId: true,

  /**
   * The proxies whose X-Forwarded-* headers are trusted. A caller that is trusted
   * by mistake can choose its own address.
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
