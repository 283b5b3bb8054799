import app from '@adonisjs/core/services/app'
import { defineConfig, destination, syncDestination } from '@adonisjs/core/logger'

import env from '#start/env'

const loggerConfig = defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'app',
      level: env.get('LOG_LEVEL'),
      /**
       * Errors of drivers carry what they were given: that of a refused AUTH has the password of Redis, and the
       * detail of PostgreSQL the values of a row.
       */
      redact: ['err.command.args', 'err.previousErrors[*].command.args', 'err.detail'],
      /**
       * Readable lines while developing. In production JSON to stdout, which no request waits for; a transport
       * would be a thread with 15 MB of its own.
       */
      destination: app.inProduction
        ? destination({ dest: 1, sync: false })
        : await syncDestination(),
    },
  },
})

export default loggerConfig

declare module '@adonisjs/core/types' {
  export interface LoggersList extends InferLoggers<typeof loggerConfig> {}
}
