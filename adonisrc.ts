import { indexEntities } from '@adonisjs/core'
import { defineConfig } from '@adonisjs/core/app'

export default defineConfig({
  /*
  |--------------------------------------------------------------------------
  | Commands
  |--------------------------------------------------------------------------
  |
  | Ace commands of packages. The application's own are found in "commands".
  |
  */
  commands: [
    () => import('@adonisjs/core/commands'),
    () => import('@adonisjs/lucid/commands'),
    () => import('@adonisjs/mail/commands'),
    () => import('@adonisjs/bouncer/commands'),
    () => import('adonis-auth-kit/commands'),
  ],

  /*
  |--------------------------------------------------------------------------
  | Service providers
  |--------------------------------------------------------------------------
  |
  | AuthProvider comes before the feature providers, which add to the manager
  | that it binds. Every feature provider can be taken out of this list.
  |
  */
  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    () => import('@adonisjs/core/providers/hash_provider'),
    {
      file: () => import('@adonisjs/core/providers/repl_provider'),
      environment: ['repl', 'test'],
    },
    () => import('@adonisjs/core/providers/vinejs_provider'),
    () => import('@adonisjs/core/providers/edge_provider'),
    () => import('@adonisjs/shield/shield_provider'),
    () => import('@adonisjs/static/static_provider'),
    () => import('@adonisjs/cors/cors_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    () => import('@adonisjs/redis/redis_provider'),
    () => import('@adonisjs/limiter/limiter_provider'),
    () => import('@adonisjs/mail/mail_provider'),
    () => import('@adonisjs/i18n/i18n_provider'),
    () => import('adonis-auth-kit/providers/words_provider'),
    () => import('adonis-auth-kit/providers/http_provider'),
    () => import('adonis-auth-kit/providers/tracing_provider'),
    () => import('#providers/auth_provider'),
    () => import('#providers/auth_session_provider'),
    () => import('#providers/auth_security_log_provider'),
    () => import('#providers/email_verification_provider'),
    () => import('#providers/auth_api_token_provider'),
    () => import('#providers/auth_oauth2_provider'),
    () => import('#providers/auth_throttle_provider'),
    () => import('#providers/auth_two_factor_provider'),
    () => import('#providers/auth_passkeys_provider'),
    () => import('#providers/mail_code_provider'),
    () => import('#providers/social_provider'),
    () => import('#providers/workspaces_provider'),
    () => import('#providers/mcp_provider'),
    () => import('#providers/openapi_provider'),
    () => import('adonis-auth-kit/providers/metrics_provider'),
  ],

  /*
  |--------------------------------------------------------------------------
  | Preloads
  |--------------------------------------------------------------------------
  |
  | A feature has its routes in a file of its own, which does nothing while the
  | feature's provider is not listed above.
  |
  */
  preloads: [
    () => import('#start/routes'),
    () => import('#start/session'),
    () => import('#start/two_factor'),
    () => import('#start/passkeys'),
    () => import('#start/social'),
    () => import('#start/security_log'),
    () => import('#start/email_verification'),
    () => import('#start/api_token'),
    () => import('#start/oauth2'),
    () => import('#start/workspaces'),
    () => import('#start/posts'),
    () => import('#start/mcp'),
    () => import('#start/mcp_questions'),
    () => import('#start/openapi'),
    () => import('#start/kernel'),
    () => import('#start/events'),
    { file: () => import('#start/production'), environment: ['web'] },
    { file: () => import('#start/view'), environment: ['web', 'test'] },
    { file: () => import('#start/account_view'), environment: ['web', 'test'] },
  ],

  /*
  |--------------------------------------------------------------------------
  | Tests
  |--------------------------------------------------------------------------
  */
  tests: {
    suites: [
      { name: 'unit', files: ['tests/unit/**/*.spec.ts'], timeout: 30_000 },
      { name: 'functional', files: ['tests/functional/**/*.spec.ts'], timeout: 60_000 },
      { name: 'browser', files: ['tests/browser/**/*.spec.ts'], timeout: 120_000 },
      { name: 'processes', files: ['tests/processes/**/*.spec.ts'], timeout: 300_000 },
      { name: 'races', files: ['tests/races/**/*.spec.ts'], timeout: 300_000 },
      { name: 'rehearsals', files: ['tests/rehearsals/**/*.spec.ts'], timeout: 300_000 },
    ],
    forceExit: false,
  },

  /*
  |--------------------------------------------------------------------------
  | Meta files
  |--------------------------------------------------------------------------
  |
  | Files that a production build needs beside the compiled ones.
  |
  */
  metaFiles: [
    { pattern: '.env.example', reloadServer: false },
    { pattern: '.npmrc', reloadServer: false },
    { pattern: 'bin/*.js', reloadServer: false },
    { pattern: 'resources/views/**/*.edge', reloadServer: false },
    { pattern: 'resources/lang/**/*.json', reloadServer: true },
    { pattern: 'public/**', reloadServer: false },
    { pattern: 'stubs/**/*.stub', reloadServer: false },
    { pattern: 'packages/*/package.json', reloadServer: false },
    { pattern: 'packages/*/resources/**', reloadServer: false },
    { pattern: 'packages/*/stubs/**/*.stub', reloadServer: false },
  ],

  hooks: {
    init: [indexEntities({ manifest: { enabled: true } }), () => import('./bin/typed_client.js')],
    buildFinished: [() => import('./bin/trim_build.js')],
  },
})
