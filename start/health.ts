import { dirname } from 'node:path'

import { DiskSpaceCheck, HealthChecks, MemoryHeapCheck } from '@adonisjs/core/health'
import app from '@adonisjs/core/services/app'
import { DbCheck } from '@adonisjs/lucid/database'
import db from '@adonisjs/lucid/services/db'
import { RedisCheck } from '@adonisjs/redis'
import redis from '@adonisjs/redis/services/main'

import { limiterStore } from '#config/limiter'
import { SchemaCheck, timely } from 'adonis-auth-kit/database'

const sqliteFile =
  app.config.get('database.connection') === 'sqlite'
    ? app.config.get<string>('database.connections.sqlite.connection.filename')
    : null

const disk = new DiskSpaceCheck().warnWhenExceeds(85).failWhenExceeds(97)
if (sqliteFile !== null) {
  /* Often a volume of its own, which is full while the others have room. */
  disk.diskPath = dirname(sqliteFile)
}

/** What must be well for this process to take requests. */
export const healthChecks = new HealthChecks().register([
  timely(new DbCheck(db.connection())),
  timely(new SchemaCheck(db.connection(), app.migrationsPath(), sqliteFile)),
  // feature: throttle
  /* Whoever signs in is counted there, and refused while it is away. */
  ...(limiterStore === 'redis' ? [timely(new RedisCheck(redis.connection('main')))] : []),
  // /feature
  disk,
  new MemoryHeapCheck().warnWhenExceeds('1 gb').failWhenExceeds('2 gb'),
])
