import app from '@adonisjs/core/services/app'
import { defineConfig, syncDestination, targets } from '@adonisjs/core/logger'

import env from '#start/env'

const loggerConfig = defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'app',
      level: env.get('LOG_LEVEL'),
      /** Readable lines while developing; JSON to stdout in production, through a worker thread. */
      ...(app.inProduction
        ? { transport: { targets: [targets.file({ destination: 1 })] } }
        : { destination: await syncDestination() }),
    },
  },
})

export default loggerConfig

declare module '@adonisjs/core/types' {
  export interface LoggersList extends InferLoggers<typeof loggerConfig> {}
}
