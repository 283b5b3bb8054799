import { Purges } from '#database/purges'
import { StartedCommand } from '#process/kit_command'

export default class AuthPurge extends StartedCommand {
  static commandName = 'auth:purge'
  static description = 'Delete expired sessions, tokens and codes'

  async run() {
    const purges = await this.app.container.make(Purges)
    for (const { name, deleted } of await purges.run()) {
      this.logger.info(`Deleted ${deleted} ${name}`)
    }
  }
}
