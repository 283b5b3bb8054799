import { defineConfig } from '@adonisjs/cors'

import env from '#start/env'

/** The apps of SPA mode, or a front end's development server on this machine. */
const statefulOrigins = env.get('STATEFUL_ORIGINS')

/**
 * Which pages of other origins may call this application from a browser.
 * Credentials are allowed, so an origin is always named and never "*".
 */
export default defineConfig({
  /** The metadata of protected endpoints is for pages of every origin, and says so itself. */
  enabled: ({ request }) => !request.url().startsWith('/.well-known/oauth-protected-resource'),
  origin: statefulOrigins.length ? statefulOrigins : ['http://localhost:5173'],
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: ['Authorization', 'Content-Type', 'X-XSRF-TOKEN', 'X-Requested-With'],
  /** `Location` of what was created: pages of other origins cannot read it otherwise. */
  exposeHeaders: ['Location'],
  credentials: true,
  maxAge: 600,
})
