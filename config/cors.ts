import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/cors'

import env from '#start/env'
import { hasOwnCors } from 'adonis-auth-kit/http'

/** The apps of SPA mode; while developing, without any, a front end's server on this machine. */
const apps = env.get('STATEFUL_ORIGINS')

/** Of tokens that are bound to a key: the proof, and the challenge that asks for another one. */
const hasProofs = env.get('OAUTH_DPOP')

/**
 * Which pages of other origins may call this application from a browser. Its
 * own pages need no permission. Credentials are allowed, so an origin is always
 * named and never "*".
 */
export default defineConfig({
  /** Routes with a policy of their own decide by themselves: MCP mounts, OAuth endpoints and metadata. */
  enabled: (ctx) => !hasOwnCors(ctx),
  origin: apps.length || app.inProduction ? apps : ['http://localhost:5173'],
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: [
    ...['Authorization', 'Content-Type', 'X-XSRF-TOKEN', 'X-Requested-With'],
    ...(hasProofs ? ['DPoP'] : []),
  ],
  /** Where something was created, and when to try again: pages of other origins cannot read them otherwise. */
  exposeHeaders: ['Location', 'Retry-After', ...(hasProofs ? ['WWW-Authenticate'] : [])],
  credentials: true,
  maxAge: 600,
})
