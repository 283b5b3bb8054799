import { text } from 'node:stream/consumers'

import { BaseCommand, args, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import type User from '#models/user'

const ACTIONS = [
  'create',
  'deactivate',
  'activate',
  /* feature: session */
  'end-sessions',
  /* /feature */
  /* feature: two_factor */
  'reset-second-factor',
  /* /feature */
]

/** What an operator does with the account of a person. */
export default class AuthUser extends BaseCommand {
  static commandName = 'auth:user'
  static description =
    'Create, deactivate and activate the accounts of people, and what goes with them'
  static options: CommandOptions = { startApp: true }

  @args.string({ description: ACTIONS.join(', ') })
  declare action: string

  @args.string({ description: 'E-mail address of the person' })
  declare email: string

  @flags.string({ description: 'create: full name' })
  declare name?: string

  async run() {
    if (!ACTIONS.includes(this.action)) {
      return this.#fail(`There is no action "${this.action}". Use ${ACTIONS.join(', ')}`)
    }
    if (this.action === 'create') {
      return this.#create()
    }
    const { default: users } = await import('#models/user')
    const user = await users.findBy('email', this.email.trim().toLowerCase())
    if (!user) {
      return this.#fail('There is no account with this e-mail address')
    }
    await this.#act(user)
  }

  /* The application's modules are imported when it has started: "node ace" reads every command before. */
  async #act(user: User) {
    const operations = await import('adonis-auth-kit/accounts')
    switch (this.action) {
      case 'deactivate':
        await user.merge({ isActive: false }).save()
        await operations.endEverything(user)
        return this.logger.log('Deactivated; everything that acted for the account has ended.')
      case 'activate':
        await user.merge({ isActive: true }).save()
        return this.logger.log('Activated.')
      /* feature: session */
      case 'end-sessions':
        return this.#endSessions(user)
      /* /feature */
      /* feature: two_factor */
      case 'reset-second-factor':
        return this.#resetSecondFactor(user)
      /* /feature */
    }
  }

  /* feature: session */
  async #endSessions(user: User) {
    if (this.app.config.get('session.store') === 'memory') {
      return this.#fail(
        'Sessions are kept in the memory of the server process: set SESSION_STORE=database, or restart the server'
      )
    }
    const { endSessions } = await import('adonis-auth-kit/accounts')
    const ended = await endSessions(user)
    this.logger.log(`Ended ${ended} sessions.`)
  }
  /* /feature */

  /* feature: two_factor */
  async #resetSecondFactor(user: User) {
    const { resetSecondFactor } = await import('adonis-auth-kit/two_factor')
    const wasOn = await resetSecondFactor(user)
    this.logger.log(
      wasOn
        ? 'The second factor is off: the next login takes the password alone.'
        : 'There was no second factor.'
    )
  }
  /* /feature */

  /** From the terminal or from standard input: arguments are seen by everybody on the machine. */
  async #readPassword(): Promise<string> {
    if (process.stdin.isTTY) {
      return this.prompt.secure('Password')
    }
    const typed = await text(process.stdin)
    return typed.replace(/\r?\n$/, '')
  }

  async #create() {
    const { default: users } = await import('#models/user')
    const { registerValidator } = await import('#validators/user')
    const password = await this.#readPassword()
    const [failure, account] = await registerValidator.tryValidate({
      email: this.email,
      password,
      password_confirmation: password,
      fullName: this.name,
    })
    if (failure) {
      return this.#fail(...failure.messages.map(({ message }: { message: string }) => message))
    }
    const user = await users.create(account)
    this.logger.log(`Created account ${user.id} of ${user.email}.`)
  }

  #fail(...messages: string[]) {
    messages.forEach((message) => this.logger.error(message))
    this.exitCode = 1
  }
}
