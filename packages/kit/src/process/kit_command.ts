import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { BaseCommand } from '@adonisjs/core/ace'
import { RuntimeException } from '@adonisjs/core/exceptions'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { assertOr } from '#process/assert_or'
import { explain } from '#process/explain'

/** What is wrong and what to do: enough for who typed the command, without a stack. */
export class CommandRefused extends RuntimeException {}

/** @throws {CommandRefused} with the message, unless the condition holds */
export function assertCommand(isRight: unknown, message: string): asserts isRight {
  assertOr(isRight, CommandRefused, message)
}

/** @throws {CommandRefused} for what a class cannot be named after */
export function assertClassName(name: string, given: string): void {
  assertCommand(/^\p{L}/u.test(name), `"${given}" names no class: begin the name with a letter`)
}

export abstract class KitCommand extends BaseCommand {
  /** @throws {CommandRefused} with the message: it is printed, and the exit code is 1 */
  protected fail(message: string): never {
    throw new CommandRefused(message)
  }

  /** @throws {CommandRefused} when the provider that binds it is not registered */
  protected async bound<Bound>(Class: new (...args: any[]) => Bound, provider: string) {
    this.assertRegistered(this.app.container.hasBinding(Class), provider)
    return this.app.container.make(Class) as Promise<Bound>
  }

  /** @throws {CommandRefused} without what a provider registers */
  protected assertRegistered(what: unknown, provider: string): asserts what {
    assertCommand(what, `${provider} is not registered in adonisrc.ts`)
  }

  /** @throws {CommandRefused} in a build: what is changed there is gone with the next one */
  protected assertSources(): void {
    const fault = 'There is no adonisrc.ts here: run this where the sources are, not in a build'
    assertCommand(existsSync(this.app.makePath('adonisrc.ts')), fault)
  }

  override async completed(): Promise<boolean> {
    const isRefused = this.error instanceof CommandRefused
    isRefused && this.logger.error(this.error.message)
    return isRefused
  }
}

/** A command that starts the application, because it uses what providers have bound. */
export abstract class StartedCommand extends KitCommand {
  static override options: CommandOptions = { startApp: true }
}

/** What an operator does by hand: of whatever goes wrong the message is enough. */
export abstract class OperatorCommand extends StartedCommand {
  protected abstract act(): Promise<void>

  /** @throws {CommandRefused} for a word that would be lost, e.g. the second scope of `--scopes a b` */
  async run(): Promise<void> {
    const [lost] = this.parsed._
    const sentence = `"${lost}" belongs to no option: write several words of one in quotes, "…"`
    assertCommand(lost === undefined, sentence)
    await this.act().catch((error: Error) => this.fail(explain(error) ?? error.message))
  }

  /** @throws {CommandRefused} for a file that cannot be read */
  protected async read(file: string): Promise<string> {
    return readFile(file, 'utf8').catch(({ code }) =>
      this.fail(`Cannot read ${file} (${code}): name a file that is there and that you may read`)
    )
  }

  /** A line of a list, without what there is nothing to say of. */
  protected printRow(...cells: (string | false | null | undefined)[]): void {
    this.logger.log(cells.filter(Boolean).join('  '))
  }

  /** @throws {CommandRefused} for an action that the command does not have */
  protected assertAction(action: string, actions: string[]): void {
    const known = actions.join(', ')
    assertCommand(actions.includes(action), `There is no action "${action}". Use ${known}`)
  }
}
