import { args } from '@adonisjs/core/ace'

import type { ListedToken } from '#accounts/ending'
import { OperatorCommand } from '#process/kit_command'

const ACTIONS = ['list', 'revoke']

export default class AuthTokens extends OperatorCommand {
  static commandName = 'auth:tokens'
  static description = 'List and revoke the tokens of a person'

  @args.string({ description: ACTIONS.join(', ') })
  declare action: string

  @args.string({ description: 'E-mail address of the person' })
  declare email: string

  @args.string({ description: 'revoke: id of the token, from the list', required: false })
  declare tokenId?: string

  protected async act() {
    this.assertAction(this.action, ACTIONS)
    /* "node ace" reads every command before the application starts. */
    const manager = await this.app.container.make('auth_manager')
    const users = manager.usersOf()
    const { listTokens } = await import('#accounts/ending')
    const user =
      (await users.findByUsername(users.toUsername(this.email))) ??
      this.fail('There is no account with this e-mail address')
    const tokens = await listTokens(user)
    if (this.action === 'list') {
      tokens.forEach((token) => this.#print(token))
      return this.logger.log(`${tokens.length} tokens`)
    }
    const token =
      tokens.find(({ id }) => id === this.tokenId) ??
      this.fail('This person has no such token: "auth:tokens list" names their ids')
    await token.revoke()
    this.logger.log(`Revoked ${token.id}`)
  }

  /** What a token is for, and never the token: only its hash is stored. */
  #print({ id, kind, name, scopes, createdAt, expiresAt }: ListedToken) {
    const end = expiresAt === null ? 'never' : new Date(expiresAt).toISOString()
    const times = [`created: ${new Date(createdAt).toISOString()}`, `expires: ${end}`]
    this.printRow(id, kind, name, `scopes: ${scopes.join(' ')}`, ...times)
  }
}
