import { defineConfig } from '@adonisjs/cors'

import env from '#start/env'

/** The apps of SPA mode, or a front end's development server on this machine. */
const apps = env.get('STATEFUL_ORIGINS')

/**
 * Which pages of other origins may call this application from a browser. Its
 * own pages need no permission. Credentials are allowed, so an origin is always
 * named and never "*".
 */
export default defineConfig({
  /** The metadata of protected endpoints is for pages of every origin, and says so itself. */
  enabled: ({ request }) => !request.url().startsWith('/.well-known/oauth-protected-resource'),
  origin: apps.length ? apps : ['http://localhost:5173'],
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: ['Authorization', 'Content-Type', 'X-XSRF-TOKEN', 'X-Requested-With'],
  exposeHeaders: [],
  credentials: true,
  maxAge: 600,
})
