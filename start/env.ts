/*
|--------------------------------------------------------------------------
| Environment variables service
|--------------------------------------------------------------------------
|
| Validates the environment and casts its values. .env.example describes every
| variable.
|
*/

import { Env } from '@adonisjs/core/env'
import proxyAddr from 'proxy-addr'

/** A whole number within bounds, both included. */
const whole = (from: number, to: number) => (name: string, value?: string) => {
  const number = Env.schema.number()(name, value)
  if (!Number.isInteger(number) || number < from || number > to) {
    throw new Error(
      `Value for environment variable "${name}" must be a whole number from ${from} to ${to}`
    )
  }
  return number
}
const optionalWhole = (from: number, to: number) => (name: string, value?: string) =>
  value ? whole(from, to)(name, value) : undefined

export default await Env.create(new URL('../', import.meta.url), {
  NODE_ENV: Env.schema.enum(['development', 'production', 'test'] as const),
  HOST: Env.schema.string({ format: 'host' }),
  PORT: whole(0, 65_535),
  APP_URL: Env.schema.string({ format: 'url', tld: false, protocol: true }),
  APP_KEY: Env.schema.secret(),
  LOG_LEVEL: Env.schema.enum([
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  ] as const),
  ACCESS_LOG: Env.schema.boolean.optional(),

  DB_CONNECTION: Env.schema.enum.optional(['sqlite', 'pg'] as const),
  SQLITE_FILE: Env.schema.string.optional(),
  DB_HOST: Env.schema.string.optional({ format: 'host' }),
  DB_PORT: optionalWhole(1, 65_535),
  DB_USER: Env.schema.string.optional(),
  DB_PASSWORD: Env.schema.string.optional(),
  DB_DATABASE: Env.schema.string.optional(),
  DB_POOL_MAX: optionalWhole(2, 10_000),
  /* The driver reads it, and takes what it does not know for "disable". */
  PGSSLMODE: Env.schema.enum.optional([
    'disable',
    'no-verify',
    'prefer',
    'require',
    'verify-ca',
    'verify-full',
  ] as const),

  SESSION_STORE: Env.schema.enum.optional(['memory', 'database'] as const),
  SESSION_SECURE: Env.schema.boolean.optional(),

  OAUTH_KEY: Env.schema.secret.optional(),
  OAUTH_ALGORITHM: Env.schema.string.optional(),
  OAUTH_KEYS_STORE: Env.schema.enum.optional(['none', 'memory', 'database'] as const),
  OAUTH_ISSUER: Env.schema.string.optional({ format: 'url', tld: false, protocol: true }),
  OAUTH_RESOURCES: Env.schema.string.optional(),
  OAUTH_REFRESH_GRACE_PERIOD: Env.schema.number.optional(),
  OAUTH_SOURCE_CLIENT_GRACE_PERIOD: Env.schema.number.optional(),
  OAUTH_GRANT_TYPES: Env.schema.string.optional(),
  OAUTH_CLIENT_DOCUMENTS: Env.schema.boolean.optional(),
  OAUTH_CLIENT_DOCUMENT_HOSTS: Env.schema.string.optional(),
  OAUTH_DPOP: Env.schema.boolean.optional(),
  OAUTH_PAR: Env.schema.boolean.optional(),
  OAUTH_CLIENT_ASSERTIONS: Env.schema.boolean.optional(),
  OAUTH_DYNAMIC_REGISTRATION: Env.schema.boolean.optional(),
  OAUTH_OPENID: Env.schema.boolean.optional(),
  OAUTH_PAIRWISE_SALT: Env.schema.secret.optional(),
  OAUTH_TOKENS_STORE: Env.schema.enum.optional(['memory', 'database'] as const),
  OAUTH_CLIENTS_STORE: Env.schema.enum.optional(['memory', 'database'] as const),

  GOOGLE_CLIENT_ID: Env.schema.string.optionalWhen(() => !process.env.GOOGLE_CLIENT_SECRET),
  GOOGLE_CLIENT_SECRET: Env.schema.secret.optionalWhen(() => !process.env.GOOGLE_CLIENT_ID),
  MICROSOFT_CLIENT_ID: Env.schema.string.optionalWhen(() => !process.env.MICROSOFT_CLIENT_SECRET),
  MICROSOFT_CLIENT_SECRET: Env.schema.secret.optionalWhen(() => !process.env.MICROSOFT_CLIENT_ID),
  MICROSOFT_TENANT: Env.schema.string.optional(),
  APPLE_CLIENT_ID: Env.schema.string.optionalWhen(
    () => !(process.env.APPLE_TEAM_ID || process.env.APPLE_KEY_ID || process.env.APPLE_PRIVATE_KEY)
  ),
  APPLE_TEAM_ID: Env.schema.string.optionalWhen(() => !process.env.APPLE_CLIENT_ID),
  APPLE_KEY_ID: Env.schema.string.optionalWhen(() => !process.env.APPLE_CLIENT_ID),
  APPLE_PRIVATE_KEY: Env.schema.secret.optionalWhen(() => !process.env.APPLE_CLIENT_ID),
  GITHUB_CLIENT_ID: Env.schema.string.optionalWhen(() => !process.env.GITHUB_CLIENT_SECRET),
  GITHUB_CLIENT_SECRET: Env.schema.secret.optionalWhen(() => !process.env.GITHUB_CLIENT_ID),
  GITLAB_CLIENT_ID: Env.schema.string.optionalWhen(() => !process.env.GITLAB_CLIENT_SECRET),
  GITLAB_CLIENT_SECRET: Env.schema.secret.optionalWhen(() => !process.env.GITLAB_CLIENT_ID),
  MAIL_CODE_SIGN_IN: Env.schema.boolean.optional(),
  OIDC_LABEL: Env.schema.string.optional(),
  OIDC_ISSUER: Env.schema.string.optionalWhen(() => !process.env.OIDC_CLIENT_ID, {
    format: 'url',
    tld: false,
    protocol: true,
  }),
  OIDC_CLIENT_ID: Env.schema.string.optionalWhen(
    () => !(process.env.OIDC_ISSUER || process.env.OIDC_CLIENT_SECRET)
  ),
  OIDC_CLIENT_SECRET: Env.schema.secret.optional(),
  OIDC_TRUSTED_FOR: Env.schema.string.optional(),

  API_TOKEN_STORE: Env.schema.enum.optional(['memory', 'database'] as const),
  STATEFUL_ORIGINS: (_name: string, value = '') =>
    value
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),

  WORKSPACES_COMMON: Env.schema.boolean.optional(),
  OPENAPI_SERVED: Env.schema.boolean.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: Env.schema.string.optional({
    format: 'url',
    tld: false,
    protocol: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: Env.schema.number.optional(),
  METRICS_TOKEN: Env.schema.secret.optional(),

  MAIL_MAILER: Env.schema.enum.optional(['log', 'smtp'] as const),
  MAIL_FROM: Env.schema.string.optional({ format: 'email' }),
  SMTP_HOST: Env.schema.string.optional({ format: 'host' }),
  SMTP_PORT: optionalWhole(1, 65_535),
  SMTP_SECURE: Env.schema.boolean.optional(),
  SMTP_USERNAME: Env.schema.string.optional(),
  SMTP_PASSWORD: Env.schema.string.optional(),

  LIMITER_STORE: Env.schema.enum.optional(['memory', 'database', 'redis'] as const),
  MCP_REDIS_CONNECTION: Env.schema.string.optional(),
  REDIS_HOST: Env.schema.string.optional(),
  REDIS_PORT: optionalWhole(1, 65_535),
  REDIS_USERNAME: Env.schema.string.optional(),
  REDIS_PASSWORD: Env.schema.string.optional(),
  REDIS_TLS: Env.schema.boolean.optional(),

  /** Says whether an address is one of the trusted proxies. */
  TRUST_PROXY: (name: string, value = 'loopback') => {
    try {
      const proxies = value.split(/[\s,]+/).filter(Boolean)
      /* Elsewhere a number says how many proxies there are. Here it would be an address: "1" is 0.0.0.1. */
      const count = proxies.find((one) => /^\d+$/.test(one))
      if (count) {
        throw new Error(`invalid IP address: ${count}`)
      }
      return proxyAddr.compile(proxies)
    } catch (error) {
      throw new Error(
        `Invalid value for environment variable "${name}": ${(error as Error).message}`
      )
    }
  },
})
