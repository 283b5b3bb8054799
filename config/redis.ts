import { defineConfig } from '@adonisjs/redis'
import type { InferConnections } from '@adonisjs/redis/types'

import env from '#start/env'

const redisConfig = defineConfig({
  connection: 'main',

  connections: {
    main: {
      host: env.get('REDIS_HOST', '127.0.0.1'),
      port: env.get('REDIS_PORT', 6379),
      username: env.get('REDIS_USERNAME'),
      password: env.get('REDIS_PASSWORD'),
      ...(env.get('REDIS_TLS') && { tls: {} }),
      keyPrefix: 'app:',
      /** A command that cannot be sent fails, instead of keeping its request waiting. */
      maxRetriesPerRequest: 1,
      /** Milliseconds. So does one that is not answered, as by a network that swallows every packet. */
      commandTimeout: 5000,
      retryStrategy: (times: number) => Math.min(times * 100, 2000),
    },
  },
})

export default redisConfig

declare module '@adonisjs/redis/types' {
  export interface RedisConnections extends InferConnections<typeof redisConfig> {}
}
