import { defineConfig, stores } from '@adonisjs/limiter'
import type { InferLimiters } from '@adonisjs/limiter/types'

import env from '#start/env'

/** PostgreSQL is there for several processes, which have to count together. */
export const limiterStore = env.get(
  'LIMITER_STORE',
  env.get('DB_CONNECTION') === 'pg' ? 'database' : 'memory'
)

/**
 * Where counts are kept. "memory" counts in each process alone and forgets at a
 * restart; "database" and "redis" count for all processes together.
 */
const limiterConfig = defineConfig({
  default: limiterStore,

  stores: {
    memory: stores.memory({}),

    /** Expired rows are deleted with everything else that expires: see "node ace auth:purge". */
    database: stores.database({ tableName: 'rate_limits', clearExpiredByTimeout: false }),

    /** Connects when it is the default, and not before. */
    redis: stores.redis({ connectionName: 'main' }),
  },
})

export default limiterConfig

declare module '@adonisjs/limiter/types' {
  export interface LimitersList extends InferLimiters<typeof limiterConfig> {}
}
