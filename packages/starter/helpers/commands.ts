import type { BaseCommand } from '@adonisjs/core/ace'
import ace from '@adonisjs/core/services/ace'

/** What commands log is kept, and not printed. For `group.setup` and `group.each.setup`. */
export function keepLogs(): () => void {
  ace.ui.switchMode('raw')
  return () => void ace.ui.switchMode('normal')
}

/** A command that has run. */
export async function runCommand<Command extends typeof BaseCommand>(
  command: Command,
  args: string[] = []
): Promise<InstanceType<Command>> {
  const created = await ace.create(command, args)
  await created.exec()
  return created
}

/** What a command has logged. */
export function logOf(command: BaseCommand): string {
  const lines = command.logger.getLogs().map(({ message }) => message)
  return lines.join('\n')
}
