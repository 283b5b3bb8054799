import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest } from '@japa/runner'

import type { OrganisationServices, Organisations } from '#kit/social/organisations'
import { CLIENT_SECRET, FakeProvider } from '#starter/helpers/fake_provider'
import { configureSocial, person, type SentMail } from '#starter/helpers/social'

/** The records that the name servers of the tests know. */
export const records = new Map<string, string[]>()

export interface OrganisationSetUp {
  provider: FakeProvider
  mails: SentMail[]
  organisations: Organisations
  domain: string
}

let domains = 0

export const newDomain = () => `d${process.pid}-${Date.now()}-${++domains}.example`

/** Lets organisations have providers, until the test ends: with name servers, and a provider, of the tests. */
export async function useOrganisations(
  services: Partial<OrganisationServices> = {}
): Promise<OrganisationSetUp> {
  const provider = await FakeProvider.start()
  const resolveTxt = async (name: string) => records.get(name) ?? []
  const mails = await configureSocial({}, undefined, { resolveTxt, ...services })
  const manager = await app.container.make('auth_manager')
  const organisations = manager.feature('social')!.organisations!
  getActiveTest()!.cleanup(async () => {
    records.clear()
    await db.from('organisation_providers').delete()
  })
  return { provider, mails, organisations, domain: newDomain() }
}

export function fieldsOf({ provider, domain }: Pick<OrganisationSetUp, 'provider' | 'domain'>) {
  const { issuer, clientId } = provider
  return { domain, issuer, clientId, clientSecret: CLIENT_SECRET }
}

/** Publishes the record of a row, and looks for it. */
export async function verify(
  organisations: Organisations,
  row: Parameters<Organisations['verify']>[0]
) {
  const { name, value } = organisations.recordOf(row)
  records.set(name, ['other text', value])
  await organisations.verify(row)
}

/** An organisation whose people sign in through a provider of their own. */
export async function useOrganisation(workspaceId: number | null = null) {
  const setUp = await useOrganisations()
  const { organisations, domain } = setUp
  const row = await organisations.add(fieldsOf(setUp), workspaceId)
  await verify(organisations, row)
  const claimsOf = (claims: object = {}) => {
    const { sub } = person()
    return person({ sub, email: `${sub}@${domain}`, ...claims })
  }
  return { ...setUp, row, path: `/auth/${row.name}`, personOf: claimsOf }
}
