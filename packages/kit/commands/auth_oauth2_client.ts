import { readFile } from 'node:fs/promises'

import { BaseCommand, flags } from '@adonisjs/core/ace'
import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { type RegisteredKeys, readRegisteredKeys } from '#oauth2/clients/assertions/registered_keys'
import type { Client } from '#oauth2/clients/client'

const DEFAULT_GRANT_TYPES = ['authorization_code', 'refresh_token']

/**
 * Registers an OAuth client. On a terminal it asks for missing values; elsewhere
 * a missing value is an error.
 */
export default class AuthOAuth2Client extends BaseCommand {
  static commandName = 'auth:oauth2:client'
  static description = 'Register an OAuth client'
  static options: CommandOptions = { startApp: true }

  @flags.string({ description: 'Name of the client, shown to the person who approves it' })
  declare name?: string

  @flags.array({ description: 'Redirect URI that receives codes; repeatable' })
  declare redirectUri?: string[]

  @flags.boolean({ description: 'A client without a secret: a single-page or native app' })
  declare public?: boolean

  @flags.string({
    description: 'URL of the public keys of a client that has no secret (private_key_jwt)',
  })
  declare jwksUri?: string

  @flags.string({ description: 'The same, with a file that has the keys: a JSON Web Key Set' })
  declare jwks?: string

  @flags.boolean({
    description: 'A client of your own: nobody is asked to allow it, unless it is a native app',
  })
  declare firstParty?: boolean

  @flags.boolean({
    description: 'It has to push its authorization requests to /oauth/par (RFC 9126)',
  })
  declare requirePushed?: boolean

  @flags.number({
    description:
      'Seconds in which it gets the same answer again for a refresh token that it has just used; default: the setting refreshTokenGracePeriod',
  })
  declare gracePeriod?: number

  @flags.array({
    description: 'Scopes it may request; any scope if omitted. Repeatable, or separated by spaces',
  })
  declare scopes?: string[]

  @flags.array({
    description: `Grants it may use; if omitted, ${DEFAULT_GRANT_TYPES.join(' and ')}`,
  })
  declare grantTypes?: string[]

  @flags.array({
    description: 'OpenID Connect: where people may be sent after a logout; repeatable',
  })
  declare postLogoutRedirectUri?: string[]

  @flags.string({ description: 'OpenID Connect: https URL that is told of the end of sessions' })
  declare backchannelLogoutUri?: string

  @flags.boolean({
    description: 'OpenID Connect: no other client knows users by the same subjects',
  })
  declare pairwise?: boolean

  async run() {
    if (!this.app.container.hasBinding(AuthorizationServer)) {
      return this.#fail(
        'AuthOAuth2Provider is not registered: add it to the providers in adonisrc.ts'
      )
    }
    const server = await this.app.container.make(AuthorizationServer)
    if (server.config.clients.store === 'memory') {
      return this.#fail(
        'Clients are kept in the memory of the server process: set OAUTH_CLIENTS_STORE=database to register them here'
      )
    }

    const grantTypes = words(this.grantTypes) ?? DEFAULT_GRANT_TYPES
    const name = await this.#name()
    if (!name) {
      return this.#fail('A client needs a name: give it with --name')
    }
    const redirectUris = await this.#redirectUris(grantTypes)
    if (!redirectUris) {
      return this.#fail('A client needs a redirect URI: give it with --redirect-uri')
    }

    try {
      const [client, secret] = await server.clients.register(
        name,
        redirectUris,
        !this.public,
        grantTypes,
        words(this.scopes) ?? [],
        null,
        {
          firstParty: this.firstParty,
          requirePushed: this.requirePushed,
          refreshGracePeriod: this.gracePeriod,
          keys: await this.#keys(server),
          openid: {
            postLogoutRedirectUris: this.postLogoutRedirectUri,
            backchannelLogoutUri: this.backchannelLogoutUri,
            pairwise: this.pairwise,
          },
        }
      )
      this.#print(client, secret)
    } catch (error) {
      this.#fail((error as Error).message)
    }
  }

  async #name(): Promise<string | null> {
    if (this.name?.trim()) {
      return this.name.trim()
    }
    if (!process.stdin.isTTY) {
      return null
    }
    const answer = await this.prompt.ask('Name of the client', { validate: notEmpty })
    return answer.trim()
  }

  /** Clients that never receive a code need none. */
  async #redirectUris(grantTypes: string[]): Promise<string[] | null> {
    if (this.redirectUri?.length) {
      return this.redirectUri
    }
    if (!grantTypes.includes('authorization_code')) {
      return []
    }
    if (!process.stdin.isTTY) {
      return null
    }
    const answer = await this.prompt.ask('Redirect URIs, separated by spaces', {
      validate: notEmpty,
    })
    return words([answer])!
  }

  /** @throws {InvalidArgumentsException} when they are no public keys, or the setting is off */
  async #keys({ config }: AuthorizationServer): Promise<RegisteredKeys | undefined> {
    if (this.jwks === undefined && this.jwksUri === undefined) {
      return undefined
    }
    if (!config.clientAssertions || this.public) {
      throw new InvalidArgumentsException(
        this.public
          ? 'A public client authenticates with no key'
          : 'Clients cannot authenticate with keys: set OAUTH_CLIENT_ASSERTIONS=true'
      )
    }
    const keys = readRegisteredKeys({
      jwks: this.jwks && JSON.parse(await readFile(this.jwks, 'utf8')),
      jwks_uri: this.jwksUri,
    })
    if (typeof keys === 'string') {
      throw new InvalidArgumentsException(keys)
    }
    return keys
  }

  #print(client: Client, secret: string | null) {
    this.logger.log(`Client ID: ${client.id}`)
    if (secret !== null) {
      this.logger.log(`Client secret: ${secret}`)
      this.logger.log('Save the secret now: it is not stored and cannot be shown again.')
    }
    if (client.hasKeys) {
      this.logger.log(`Keys: ${client.jwksUri ?? `${client.jwks!.length} in the registration`}`)
    }
    if (client.firstParty) {
      this.logger.log('First party: nobody is asked to allow it')
    }
    if (client.requirePushed) {
      this.logger.log('Pushed requests: it has to push its authorization requests')
    }
    if (client.refreshGracePeriod !== null) {
      this.logger.log(`Grace period: refresh tokens for ${client.refreshGracePeriod} seconds`)
    }
    this.logger.log(`Grant types: ${client.grantTypes.join(' ')}`)
    this.logger.log(`Scopes: ${client.scopes.join(' ') || 'any of the catalogue'}`)
  }

  #fail(message: string) {
    this.logger.error(message)
    this.exitCode = 1
  }
}

function notEmpty(value: string) {
  return value.trim() !== '' || 'Please enter a value'
}

/** Values that were given repeatedly or separated by spaces. */
function words(values: string[] | undefined): string[] | undefined {
  return values?.flatMap((value) => value.split(/\s+/)).filter(Boolean)
}
