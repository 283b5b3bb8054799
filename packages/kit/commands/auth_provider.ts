import { text } from 'node:stream/consumers'

import { args, flags } from '@adonisjs/core/ace'

import { OperatorCommand, assertCommand } from '#process/kit_command'
import type OrganisationProvider from '#social/models/organisation_provider'
import type { Organisations } from '#social/organisations'

const ACTIONS = ['add', 'list', 'verify', 'enforce', 'remove']

/** What an operator does with the identity providers of organisations, those of workspaces among them. Secrets are never shown. */
export default class AuthProvider extends OperatorCommand {
  static commandName = 'auth:provider'
  static description = 'Add, list, verify, enforce and remove identity providers of organisations'

  @args.string({ description: ACTIONS.join(', '), default: 'list' })
  declare action: string

  @args.string({
    description: 'The domain, e.g. "example.com"; or the name of the provider, from the list',
    required: false,
  })
  declare which?: string

  @flags.string({ description: 'add: where the provider has its metadata, an https address' })
  declare issuer?: string

  @flags.string({ description: 'add: what the provider calls this application' })
  declare clientId?: string

  @flags.boolean({ description: 'enforce: allow passwords and codes by mail again' })
  declare off?: boolean

  protected async act() {
    const manager = await this.app.container.make('auth_manager')
    const social = manager.feature('social')
    this.assertRegistered(social, 'SocialProvider')
    const organisations =
      social.organisations ??
      this.fail('Set "store" of config/social.ts to "database": providers are kept there')
    this.assertAction(this.action, ACTIONS)
    if (this.action === 'list') {
      const rows = await organisations.list('all')
      rows.forEach((row) => this.#print(row))
      return this.logger.log(`${rows.length} providers`)
    }
    if (this.action === 'add') {
      return this.#add(organisations)
    }
    const row = await this.#find(organisations)
    switch (this.action) {
      case 'verify':
        this.#printRecord(organisations, row)
        await organisations.verify(row)
        return this.logger.log(`Verified: people of ${row.domain} are sent to their provider.`)
      case 'enforce':
        await organisations.forbidPassword(row, !this.off)
        return this.logger.log(
          `Passwords and codes by mail are ${this.off ? 'allowed' : 'forbidden'} for ${row.domain}.`
        )
      default:
        await organisations.remove(row)
        return this.logger.log('Removed, with its identities and the sessions that came from it.')
    }
  }

  async #add(organisations: Organisations) {
    const { which: domain, issuer, clientId } = this
    assertCommand(domain && issuer && clientId, 'Name the domain, "--issuer" and "--client-id"')
    const clientSecret = await this.#readSecret()
    const row = await organisations.add({ domain, issuer, clientId, clientSecret }, null)
    this.#print(row)
    this.#printRecord(organisations, row)
    const url: string = this.app.config.get('app.appUrl')
    this.logger.log(`Redirect URI: ${new URL(`/auth/${row.name}/callback`, url)}`)
    this.logger.log(`Back-channel logout: ${new URL(`/auth/${row.name}/backchannel-logout`, url)}`)
  }

  async #find(organisations: Organisations): Promise<OrganisationProvider> {
    const { which } = this
    assertCommand(which, 'Name the domain, or the provider: "auth:provider list" names them')
    const rows = await organisations.list('all')
    const found = rows.filter(({ name, domain }) => [name, domain].includes(which))
    const [row = this.fail('There is no such provider: "auth:provider list" names them')] = found
    assertCommand(
      found.length === 1,
      'Several have this domain: name the provider, "auth:provider list" names them'
    )
    return row
  }

  #print(row: OrganisationProvider) {
    const { name, domain, issuer, verifiedDomain, forbidsPassword, workspaceId } = row
    const proof = verifiedDomain === null ? 'not verified' : 'verified'
    const workspace = workspaceId !== null && `workspace ${workspaceId}`
    this.printRow(name, domain, issuer, proof, forbidsPassword && 'no passwords', workspace)
  }

  #printRecord(organisations: Organisations, row: OrganisationProvider) {
    const { name, value } = organisations.recordOf(row)
    this.logger.log(`TXT record: ${name}  ${value}`)
  }

  /** From the terminal or from standard input: arguments are seen by everybody on the machine. */
  async #readSecret(): Promise<string> {
    const { isTTY } = process.stdin
    const typed = await (isTTY ? this.prompt.secure('Client secret') : text(process.stdin))
    const secret = typed.trim()
    assertCommand(secret, 'Enter the client secret in a terminal, or send it to standard input')
    return secret
  }
}
