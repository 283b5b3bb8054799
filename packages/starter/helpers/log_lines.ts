import { mock } from 'node:test'
import { inspect } from 'node:util'

import { Logger } from '@adonisjs/core/logger'
import logger from '@adonisjs/core/services/logger'
import { getActiveTest } from '@japa/runner'

/** Keeps what is logged, at whatever level, until the test ends; returns what reads it. */
export function keepLog(): () => string {
  const lines: unknown[] = []
  for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
    /* Of the application's logger, too: a spy of another test leaves it methods of its own. */
    for (const target of [Logger.prototype, logger as Logger]) {
      const spy = mock.method(target, level, (...line: unknown[]) => lines.push(line))
      getActiveTest()!.cleanup(() => spy.mock.restore())
    }
  }
  return () => inspect(lines, { depth: 20, maxArrayLength: null, maxStringLength: null })
}
