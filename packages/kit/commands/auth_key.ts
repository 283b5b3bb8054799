import { args, flags } from '@adonisjs/core/ace'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { KeyChanges, type ListedKey } from '#oauth2/keys/key_changes'
import { defaultAlgorithm } from '#oauth2/keys/signing_key'
import { OperatorCommand, assertCommand } from '#process/kit_command'

const ACTIONS = ['make', 'rotate', 'list', 'retire']

/** What an operator does with the asymmetric keys that sign OAuth tokens. Keys are never shown. */
export default class AuthKey extends OperatorCommand {
  static commandName = 'auth:key'
  static description = 'Make, rotate, list and retire the keys that sign OAuth tokens'

  @args.string({ description: ACTIONS.join(', '), default: 'list' })
  declare action: string

  @args.string({ description: 'retire: id of the key, from the list', required: false })
  declare kid?: string

  @flags.string({
    description:
      'make, rotate: ES256, RS256, EdDSA …; if omitted, RS256 with OpenID Connect and ES256 without; of a rotation that of the key before',
  })
  declare algorithm?: string

  @flags.string({ description: 'make, rotate: file with a private key of yours in PEM' })
  declare pem?: string

  @flags.boolean({
    description:
      'make, rotate: sign at once, before APIs that verify tokens offline know the new key',
  })
  declare now?: boolean

  protected async act() {
    const { keys, config } = await this.bound(AuthorizationServer, 'AuthOAuth2Provider')
    assertCommand(
      config.keys.store !== 'memory',
      'Keys are kept in the memory of the server process: set OAUTH_KEYS_STORE=database'
    )
    this.assertAction(this.action, ACTIONS)
    const changes = new KeyChanges(keys, config.keys.publishFor, defaultAlgorithm(config))
    const { action, algorithm, kid } = this
    if (action === 'make' || action === 'rotate') {
      const pem = this.pem === undefined ? null : await this.read(this.pem)
      await keys.refresh()
      const before = keys.isAsymmetric ? keys.signingAlgorithm : undefined
      const key = await changes[action]({ algorithm, immediately: this.now, pem })
      this.#print(key)
      if (before !== undefined && before !== key.algorithm) {
        this.logger.warning(
          `Until now ${before} signed: clients with an older copy of the metadata, and APIs that name their algorithms, refuse ${key.algorithm} until they know it`
        )
      }
      return
    }
    if (action === 'list') {
      const all = await changes.list()
      all.forEach((key) => this.#print(key))
      return this.logger.log(`Keys: ${all.length}`)
    }
    assertCommand(kid, 'Name the key: "auth:key list" names them')
    await changes.retire(kid)
    this.logger.log(`Retired ${kid}: its tokens are refused within a minute`)
  }

  #print({ kid, algorithm, state, signsAt, replacedAt }: ListedKey) {
    const from = new Date(signsAt).toISOString()
    const states: Record<ListedKey['state'], string> = {
      waits: `is published, signs from ${from}`,
      signs: `signs since ${from}`,
      verifies: `verifies, signed until ${replacedAt === null ? 'then' : new Date(replacedAt).toISOString()}`,
      unusable: 'cannot be decrypted with APP_KEY, or is too weak',
    }
    this.printRow(kid, algorithm, states[state])
  }
}
