import { args, flags } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'

import { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { Clients } from '#oauth2/clients/clients'
import { OperatorCommand, assertCommand } from '#process/kit_command'

const ACTIONS = ['list', 'show', 'rotate-secret', 'redirect-uris', 'logout-uris', 'revoke']

/** Seconds that a rotated secret goes on working: a day to tell every instance of the client. */
const OVERLAP = 86_400

/** What an operator does with OAuth clients. "auth:oauth2:client" registers one. */
export default class AuthOAuth2Clients extends OperatorCommand {
  static commandName = 'auth:oauth2:clients'
  static description = 'List, show, change and revoke OAuth clients'

  @args.string({ description: ACTIONS.join(', '), default: 'list' })
  declare action: string

  @args.string({ description: 'Id of the client, for every action but list', required: false })
  declare clientId?: string

  @flags.number({
    description: `rotate-secret: seconds that the old secret goes on working; ${OVERLAP} if omitted`,
  })
  declare overlap?: number

  @flags.array({ description: 'redirect-uris: the new redirect URIs; repeatable' })
  declare redirectUri?: string[]

  @flags.array({
    description:
      'logout-uris: where people may be sent after a logout; repeatable, none if omitted',
  })
  declare postLogoutRedirectUri?: string[]

  @flags.string({
    description: 'logout-uris: https URL that is told of the end of sessions; none if omitted',
  })
  declare backchannelLogoutUri?: string

  protected async act() {
    const { clients, config } = await this.bound(AuthorizationServer, 'AuthOAuth2Provider')
    assertCommand(
      config.clients.store !== 'memory',
      'Clients are kept in the memory of the server process: set OAUTH_CLIENTS_STORE=database'
    )
    this.assertAction(this.action, ACTIONS)
    const { repository } = clients
    if (this.action === 'list') {
      const all = await repository.list()
      all.forEach((client) => this.#printLine(client))
      return this.logger.log(string.pluralize('client', all.length, true))
    }
    const client =
      (await repository.find(this.clientId ?? '')) ??
      this.fail('There is no client with this id: "auth:oauth2:clients list" names them')
    switch (this.action) {
      case 'show':
        return this.#print(client)
      case 'rotate-secret':
        return this.#rotate(client, clients)
      case 'redirect-uris':
        return this.#changeRedirectUris(client, clients)
      case 'logout-uris':
        await clients.changeLogoutUris(client.id, {
          postLogoutRedirectUris: this.postLogoutRedirectUri,
          backchannelLogoutUri: this.backchannelLogoutUri,
        })
        return this.#printLogoutUris(await repository.find(client.id))
      default:
        await clients.revoke(client.id)
        return this.logger.log(`Revoked ${client.id} and everything that was issued to it`)
    }
  }

  async #rotate({ id }: Client, clients: Clients) {
    const overlap = this.overlap ?? OVERLAP
    const secret = await clients.rotateSecret(id, overlap)
    const end = iso(Date.now() + overlap * 1000)
    this.logger.log(`Client secret: ${secret}`)
    this.logger.log('Save the secret now: it is not stored and cannot be shown again.')
    const validity = overlap ? `works until ${end}` : 'does not work any more'
    this.logger.log(`The old secret ${validity}.`)
  }

  async #changeRedirectUris({ id }: Client, clients: Clients) {
    assertCommand(this.redirectUri?.length, 'Give the new redirect URIs with --redirect-uri')
    await clients.changeRedirectUris(id, this.redirectUri)
    this.logger.log(`Redirect URIs: ${this.redirectUri.join(' ')}`)
  }

  #printLogoutUris(client: Client | null) {
    const { postLogoutRedirectUris = [], backchannelLogoutUri } = client?.openid ?? {}
    this.logger.log(`After a logout: ${postLogoutRedirectUris.join(' ') || 'nowhere'}`)
    this.logger.log(`Told of the end of sessions: ${backchannelLogoutUri ?? 'no'}`)
  }

  #printLine({ id, name, revoked, confidential, source }: Client) {
    this.printRow(id, name, confidential ? 'confidential' : 'public', source, revoked && 'revoked')
  }

  #print(client: Client) {
    const { jwks, jwksUri, openid, refreshGracePeriod: grace } = client
    const hasOldSecret = client.secretHashesAt(Date.now()).length > 1
    const lines: Record<string, string | false | null> = {
      'Client ID': client.id,
      'Name': client.name,
      'Type': client.confidential ? 'confidential' : 'public',
      'Keys': jwksUri ?? (jwks ? `${jwks.length} in the registration` : 'none'),
      'Source': client.source ?? 'auth:oauth2:client',
      'Redirect URIs': client.redirectUris.join(' ') || 'none',
      'Grant types': client.grantTypes.join(' ') || 'every enabled one',
      'Scopes': client.scopes.join(' ') || 'any of the catalogue',
      'User provider': client.provider ?? 'any',
      'First party': client.firstParty && 'nobody is asked to allow it',
      'Pushed requests': client.requirePushed && 'it has to push its authorization requests',
      'Grace period': grace === null ? null : `refresh tokens for ${grace} seconds`,
      'Created': iso(client.createdAt),
      'Revoked': client.revoked ? 'yes' : 'no',
      'Old secret works until': hasOldSecret && iso(client.previousSecretExpiresAt!),
      'Subjects': openid && (openid.pairwiseSector ? 'pairwise' : 'public'),
    }
    const told = Object.entries(lines).filter(([, value]) => value)
    told.forEach(([label, value]) => this.logger.log(`${label}: ${value}`))
    if (openid) {
      this.#printLogoutUris(client)
    }
  }
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()
