import { flags } from '@adonisjs/core/ace'

import { StartedCommand, assertCommand } from '#process/kit_command'

export default class WorkspacesAdopt extends StartedCommand {
  static commandName = 'workspaces:adopt'
  static description = 'Give rows that have no workspace the one of their owner, or the common one'

  @flags.number({ description: 'Rows of a transaction', default: 1000 })
  declare batch: number

  async run() {
    const isUsable = Number.isInteger(this.batch) && this.batch >= 1
    assertCommand(isUsable, '--batch is a whole number of rows, 1 or more')
    const { Adoption } = await import('#workspaces/adoption')
    const manager = await this.app.container.make('auth_manager')
    const workspaces = manager.feature('workspaces')
    this.assertRegistered(workspaces, 'WorkspacesProvider')
    const adoption = new Adoption(workspaces, manager.usersOf(), this.batch)
    for (const { table, rows, left } of await adoption.run()) {
      this.logger.log(`${table}: ${rows} rows have a workspace now, ${left} have no owner`)
    }
  }
}
