import { defineConfig } from 'adonis-auth-kit/metrics/define_config'
import env from '#start/env'

/** The figures of this process for Prometheus: docs/observability.md. */
export default defineConfig({
  /** What Prometheus proves itself by. Without it nothing is counted, and /metrics is not there. */
  token: env.get('METRICS_TOKEN'),
})
