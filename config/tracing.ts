import app from '@adonisjs/core/services/app'
import { defineConfig } from 'adonis-auth-kit/tracing/define_config'
import env from '#start/env'

/** Traces of requests, statements, hashes, mails, grants and MCP calls: docs/observability.md. */
export default defineConfig({
  /** The collector, which takes OTLP over HTTP. Without it nothing is traced. */
  endpoint: env.get('OTEL_EXPORTER_OTLP_ENDPOINT'),

  /** The part of the requests that is traced, from 0 to 1. */
  ratio: env.get('OTEL_TRACES_SAMPLER_ARG', app.inProduction ? 0.1 : 1),
})
