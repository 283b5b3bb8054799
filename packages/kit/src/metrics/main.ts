export { Metrics } from '#metrics/metrics'
