import type { Encryption } from '@adonisjs/core/encryption'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import type { AuthManager } from '#auth/manager'
import { isStorable } from '#database/storable_text'
import { type Commit, affectedRows, modelOptions, selectRows, within } from '#database/raw_query'
import { type DocumentFetcher } from '#http/document_fetcher'
import { isLoopback } from '#http/loopback'
import { BoundedMap, remembered } from '#process/remembered'
import { generateIdentifier } from '#security/secrets'
import { PUBLIC_DOMAINS, domainOf, resolvePublicly } from '#social/domains'
import OrganisationProvider from '#social/models/organisation_provider'
import { OrganisationRefused, assertRule, refuseTwice } from '#social/organisation_refused'
import { OpenIdProvider, UnreadableProvider } from '#social/providers/open_id'
import { MAX_BYTES, type ProviderSettings } from '#social/providers/provider'

export interface OrganisationServices {
  manager: AuthManager
  encryption: Encryption
  client: () => QueryClientContract
  /** Reaches public addresses alone: issuers are typed by strangers. */
  fetcher: () => Promise<DocumentFetcher>
  /** Whether an issuer may be on this computer, over plain http: in development. */
  allowsLoopback: boolean
  /** The texts of the TXT records of a name; none when it has none. Default: those of the name servers. */
  resolveTxt?: (name: string) => Promise<string[]>
}

type ProviderFacts = Record<'name' | 'domain' | 'issuer' | 'clientId' | 'clientSecret', string>

/** Whose rows: those of a workspace, or, for operators, all. */
export type OrganisationScope = number | 'all'

/** Identity providers of organisations: rows, each for the addresses of a domain that its owner has verified. */
export class Organisations {
  readonly #providers = new BoundedMap<string, OpenIdProvider>(500)

  constructor(protected readonly services: OrganisationServices) {}

  /** The provider with this name; null unless its domain is verified. */
  async find(name: string): Promise<OpenIdProvider | null> {
    const named = this.#query().where('name', name).whereNotNull('verifiedDomain')
    const row = isStorable(name) ? await named.first() : null
    const read = remembered(() => this.#make(row!), this.#providers)
    return row && read(`${row.name} ${row.clientSecret}`)
  }

  /** The row that holds the domain of an address; null when none does. Nobody asks whether there is an account. */
  async holderOf(email: unknown): Promise<OrganisationProvider | null> {
    const domain = typeof email === 'string' ? domainOf(email.replace(/^.*@/s, '')) : null
    return domain === null ? null : this.#query().where('verifiedDomain', domain).first()
  }

  /** Whether anybody signs in through an organisation. Every sign-in page asks. */
  async isAny(): Promise<boolean> {
    const sql = 'SELECT 1 FROM organisation_providers WHERE verified_domain IS NOT NULL LIMIT 1'
    const rows = await selectRows(this.services.client(), sql, [])
    return rows.length > 0
  }

  async list(scope: OrganisationScope): Promise<OrganisationProvider[]> {
    return this.#of(scope).orderBy('id')
  }

  async get(scope: OrganisationScope, id: number): Promise<OrganisationProvider | null> {
    return this.#of(scope).where('id', id).first()
  }

  /**
   * Adds a provider, whose domain is to be verified next. The same domain and issuer replace the client's id and secret.
   * @throws {OrganisationRefused} for a domain that is none or public, an issuer that cannot be read, and a provider that
   * another request adds or removes at this moment
   */
  async add(
    fields: { domain: string; issuer: string; clientId: string; clientSecret: string },
    workspaceId: number | null,
    commit: Commit = this.#commit
  ): Promise<OrganisationProvider> {
    const domain = domainOf(fields.domain)
    assertRule(domain !== null, 'domain')
    assertRule(!PUBLIC_DOMAINS.has(domain), 'publicDomain')
    const { issuer, clientId, clientSecret } = fields
    assertRule(!INVISIBLE.test(issuer), 'issuer')
    const known = await this.#query().where({ domain, issuer }).where({ workspaceId }).first()
    const name = known?.name ?? `org-${generateIdentifier().toLowerCase()}`
    const sealed = this.services.encryption.encrypt(clientSecret, { purpose: purposeOf(name) })
    const changes = { clientId, clientSecret: sealed }
    const facts = { domain, issuer, name, workspaceId, token: generateIdentifier() }
    /* For whatever reason it cannot be read: the reason is for operators. */
    try {
      await this.#make({ ...facts, ...changes }).probe()
    } catch {
      throw new OrganisationRefused('issuer')
    }
    if (known) {
      return this.#change(known, () => changes, commit)
    }
    const state = { verifiedDomain: null, forbidsPassword: false, createdAt: Date.now() }
    const row = { ...facts, ...changes, ...state }
    return commit((client) =>
      OrganisationProvider.create(row, modelOptions(within(client, this.services.client())))
    ).catch(refuseTwice('providerAdded'))
  }

  /** The TXT record that shows whose the domain is. */
  recordOf({ domain, token }: Pick<OrganisationProvider, 'domain' | 'token'>) {
    return { name: `_sign-in.${domain}`, value: `sign-in-verification=${token}` }
  }

  /** Looks for the TXT record. @throws {OrganisationRefused} when it is not there, or another row holds the domain */
  async verify(row: OrganisationProvider, commit?: Commit): Promise<void> {
    const { resolveTxt = resolvePublicly } = this.services
    const { name, value } = this.recordOf(row)
    const texts = await resolveTxt(name).catch(() => null)
    assertRule(texts, 'nameServers')
    assertRule(texts.includes(value), 'domainRecord')
    const changed = this.#change(row, ({ domain }) => ({ verifiedDomain: domain }), commit)
    await changed.catch(refuseTwice('domainTaken'))
  }

  /** Also codes by mail, for addresses of the domain. @throws {OrganisationRefused} unless the domain is verified */
  async forbidPassword(row: OrganisationProvider, forbidsPassword: boolean, commit?: Commit) {
    const change = ({ verifiedDomain }: OrganisationProvider) => {
      assertRule(!forbidsPassword || verifiedDomain !== null, 'notVerified')
      return { forbidsPassword }
    }
    await this.#change(row, change, commit)
  }

  /**
   * Ends the trust in a provider at once: its identities are deleted, and the sessions that came from it end.
   * @returns false when another request has removed it
   */
  async remove(row: OrganisationProvider, commit: Commit = this.#commit): Promise<boolean> {
    /* Whoever may not remove it ends no session, either. */
    await commit(async () => {})
    /* First, so that the provider is there to be removed again when its sessions could not be ended. */
    await this.#endSessions(row)
    const isRemoved = await commit(async (client) => {
      const of = within(client, this.services.client())
      const removed = await of.from('organisation_providers').where('id', row.id).delete()
      await of.from('social_identities').where('name', row.name).delete()
      return affectedRows(removed) > 0
    })
    /* Once more: a sign-in that had begun may have connected an identity. */
    await this.services.client().from('social_identities').where('name', row.name).delete()
    await this.#endSessions(row)
    return isRemoved
  }

  /** @throws {OrganisationRefused} when the row is gone */
  async #change(
    { id }: OrganisationProvider,
    change: (row: OrganisationProvider) => Partial<ModelAttributes<OrganisationProvider>>,
    commit: Commit = this.#commit
  ): Promise<OrganisationProvider> {
    return commit(async (client) => {
      const row = await this.#query(within(client, this.services.client())).where('id', id).first()
      assertRule(row, 'providerRemoved')
      return row.merge(change(row)).save()
    })
  }

  #commit: Commit = (write) => this.services.client().transaction(write)

  async #endSessions(row: OrganisationProvider): Promise<void> {
    await this.services.manager.feature('sessions')?.destroyFrom({ provider: row.name })
  }

  #make(row: ProviderFacts): OpenIdProvider {
    const { name, domain, issuer, clientId } = row
    const clientSecret = this.services.encryption.decrypt<string>(row.clientSecret, purposeOf(name))
    const { protocol, hostname } = new URL(issuer)
    const isLocal = protocol === 'http:' && isLoopback(hostname) && this.services.allowsLoopback
    const fetch = isLocal ? undefined : this.#fetch
    const client = { issuer, clientId, clientSecret: clientSecret ?? undefined, fetch }
    const trustedFor = trustOf(issuer, domain)
    const Provider = clientSecret === null ? UnreadableProvider : OpenIdProvider
    return new Provider(name, { ...client, label: domain, domain, trustedFor })
  }

  #fetch = async (url: string, init: Parameters<DocumentFetcher['request']>[1]) => {
    const fetcher = await this.services.fetcher()
    return fetcher.request(new URL(url), init, MAX_BYTES)
  }

  #of(scope: OrganisationScope) {
    return scope === 'all' ? this.#query() : this.#query().where('workspaceId', scope)
  }

  #query(client = this.services.client()) {
    return OrganisationProvider.query({ client })
  }
}

/**
 * Google is one issuer for everybody, and a private account there keeps the address of an employer who is left: as in
 * `google()`, its word counts for people whose organisation it names.
 */
function trustOf(issuer: string, domain: string): ProviderSettings['trustedFor'] {
  return new URL(issuer).host === 'accounts.google.com'
    ? (email, { hd }) => hd === domain && email.endsWith(`@${domain}`)
    : [domain]
}

/** URL parsers take such characters out, or encode them; a command prints the text as it came. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/u

const purposeOf = (name: string) => `organisation_provider:${name}`
