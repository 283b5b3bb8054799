import { flags } from '@adonisjs/core/ace'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { type RegisteredKeys, readRegisteredKeys } from '#oauth2/clients/assertions'
import type { Client } from '#oauth2/clients/client'
import { JWT_BEARER } from '#oauth2/trusted_issuers/config'
import { OperatorCommand, assertCommand } from '#process/kit_command'

/** Grants of clients that act without a person (RFC 6749 §4.4, RFC 7523 §2.1): they have to authenticate. */
const CONFIDENTIAL = ['client_credentials', JWT_BEARER]

/** Registers an OAuth client. On a terminal it asks for missing values; elsewhere a missing value is an error. */
export default class AuthOAuth2Client extends OperatorCommand {
  static commandName = 'auth:oauth2:client'
  static description = 'Register an OAuth client'

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
    description:
      'Scopes it may request; any scope if omitted. Repeatable, or in quotes with spaces',
  })
  declare scopes?: string[]

  @flags.array({
    description:
      'Grants it may use; if omitted, authorization_code, and refresh_token where it is on',
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

  protected async act() {
    const server = await this.bound(AuthorizationServer, 'AuthOAuth2Provider')
    assertCommand(
      server.config.clients.store !== 'memory',
      'Clients are kept in the memory of the server process: set OAUTH_CLIENTS_STORE=database to register them here'
    )
    const refreshes = server.config.grantTypes.includes('refresh_token')
    const defaults = ['authorization_code', ...(refreshes ? ['refresh_token'] : [])]
    const grantTypes = words(this.grantTypes) ?? defaults
    this.#assertOn(grantTypes, server)
    this.#assertUsable(grantTypes)
    const name =
      this.name?.trim() ||
      (await this.#ask('Name of the client')) ||
      this.fail('A client needs a name: give it with --name')
    const redirectUris =
      (await this.#redirectUris(grantTypes)) ??
      this.fail('A client needs a redirect URI: give it with --redirect-uri')
    const scopes = words(this.scopes) ?? []
    assertCommand(
      this.scopes === undefined || scopes.length,
      '--scopes names no scope: leave it out for a client that may request any'
    )
    const [client, secret] = await server.clients.register(
      name,
      redirectUris,
      !this.public,
      grantTypes,
      scopes,
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
  }

  /** A client of a grant that is off could do nothing with it. Unknown grants have a sentence of their own. */
  #assertOn(grantTypes: string[], { config, grants }: AuthorizationServer) {
    const known = [...grants.identifiers, JWT_BEARER]
    const off = grantTypes.find((type) => known.includes(type) && !config.grantTypes.includes(type))
    const how =
      off === JWT_BEARER
        ? 'trust a provider with "trustedIssuers" in config/oauth2.ts'
        : 'add it to OAUTH_GRANT_TYPES (config/oauth2.ts, "grantTypes")'
    assertCommand(
      off === undefined,
      `The grant type "${off}" is off: ${how}, or name others with --grant-types`
    )
  }

  #assertUsable(grantTypes: string[]) {
    const needsSecret = this.public && grantTypes.find((type) => CONFIDENTIAL.includes(type))
    assertCommand(
      !needsSecret,
      `A public client cannot use the grant type "${needsSecret}", which takes a secret or a key: leave --public out, or name others with --grant-types`
    )
    assertCommand(
      grantTypes.join() !== 'refresh_token',
      'The grant type "refresh_token" needs another one, which gives the first token: name both with --grant-types'
    )
  }

  /** What a person enters; null where there is nobody to ask. */
  async #ask(question: string): Promise<string | null> {
    if (!process.stdin.isTTY) {
      return null
    }
    const validate = (value: string) => value.trim() !== '' || 'Please enter a value'
    const answer = await this.prompt.ask(question, { validate })
    return answer.trim()
  }

  /** Clients that never receive a code need none. */
  async #redirectUris(grantTypes: string[]): Promise<string[] | null> {
    if (this.redirectUri?.length || !grantTypes.includes('authorization_code')) {
      return this.redirectUri ?? []
    }
    const answer = await this.#ask('Redirect URIs, separated by spaces')
    return answer === null ? null : words([answer])!
  }

  /** @throws {CommandRefused} when they are no public keys, or the setting is off */
  async #keys({ config }: AuthorizationServer): Promise<RegisteredKeys | undefined> {
    if (this.jwks === undefined && this.jwksUri === undefined) {
      return undefined
    }
    assertCommand(!this.public, 'A public client authenticates with no key')
    assertCommand(
      config.clientAssertions,
      'Clients cannot authenticate with keys: set OAUTH_CLIENT_ASSERTIONS=true'
    )
    const jwks = this.jwks && (await this.#readSet(this.jwks))
    const keys = readRegisteredKeys({ jwks, jwks_uri: this.jwksUri })
    return typeof keys === 'string' ? this.fail(keys) : keys
  }

  /** @throws {CommandRefused} for a file that cannot be read, or is not JSON */
  async #readSet(file: string): Promise<unknown> {
    const text = await this.read(file)
    try {
      return JSON.parse(text)
    } catch {
      return this.fail(`Cannot read ${file}: it is not JSON. Name a file with a JSON Web Key Set`)
    }
  }

  #print(client: Client, secret: string | null) {
    const { jwksUri, jwks, refreshGracePeriod, grantTypes, scopes } = client
    const lines = [
      `Client ID: ${client.id}`,
      secret !== null && `Client secret: ${secret}`,
      secret !== null && 'Save the secret now: it is not stored and cannot be shown again.',
      client.hasKeys && `Keys: ${jwksUri ?? `${jwks!.length} in the registration`}`,
      client.firstParty && 'First party: nobody is asked to allow it',
      client.requirePushed && 'Pushed requests: it has to push its authorization requests',
      refreshGracePeriod !== null &&
        `Grace period: refresh tokens for ${refreshGracePeriod} seconds`,
      `Grant types: ${grantTypes.join(' ')}`,
      `Scopes: ${scopes.join(' ') || 'any of the catalogue'}`,
    ]
    lines.filter((line) => line !== false).forEach((line) => this.logger.log(line))
  }
}

/** A flag without a word is as none: a client without grants of its own may use every one that is on. */
function words(values: string[] | undefined): string[] | undefined {
  const found = values?.flatMap((value) => value.split(/\s+/)).filter(Boolean)
  return found?.length ? found : undefined
}
