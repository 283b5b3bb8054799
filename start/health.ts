import { DiskSpaceCheck, HealthChecks, MemoryHeapCheck } from '@adonisjs/core/health'
import { DbCheck } from '@adonisjs/lucid/database'
import db from '@adonisjs/lucid/services/db'

/** What must be well for this process to take requests. */
export const healthChecks = new HealthChecks().register([
  new DbCheck(db.connection()),
  new DiskSpaceCheck().warnWhenExceeds(85).failWhenExceeds(97),
  new MemoryHeapCheck().warnWhenExceeds('1 gb').failWhenExceeds('2 gb'),
])
