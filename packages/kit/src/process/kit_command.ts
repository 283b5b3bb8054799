import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/** A command of this package. */
export abstract class KitCommand extends BaseCommand {
  /** Says what is wrong and what to do; the exit code is 1. */
  protected fail(message: string): void {
    this.logger.error(message)
    this.exitCode = 1
  }
}

/** A command that starts the application, because it uses what providers have bound. */
export abstract class StartedCommand extends KitCommand {
  static override options: CommandOptions = { startApp: true }
}
