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
      const own = Object.getOwnPropertyDescriptor(target, level)
      target[level] = (...line: unknown[]) => lines.push(line)
      /* A mock would leave the logger a method that remembers each later call, with its stack. */
      getActiveTest()!.cleanup(() => {
        Reflect.deleteProperty(target, level)
        own && Object.defineProperty(target, level, own)
      })
    }
  }
  return () => inspect(lines, { depth: 20, maxArrayLength: null, maxStringLength: null })
}
