import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { Purges } from '#database/purges'

/** Deletes expired sessions, tokens and codes now, e.g. from a scheduled job. */
export default class AuthPurge extends BaseCommand {
  static commandName = 'auth:purge'
  static description = 'Delete expired sessions, tokens and codes'
  static options: CommandOptions = { startApp: true }

  async run() {
    const purges = await this.app.container.make(Purges)
    for (const { name, deleted } of await purges.run()) {
      this.logger.info(`Deleted ${deleted} ${name}`)
    }
  }
}
