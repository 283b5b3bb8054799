import { Exception } from '@adonisjs/core/exceptions'

import { isUniqueViolation } from '#database/errors'
import { assertOr } from '#process/assert_or'

/** Why something is refused, with the field that it is about. `validation.messages` has the words of pages. */
const REFUSALS = {
  domain: ['domain', 'This is not a domain, e.g. example.com.'],
  publicDomain: ['domain', 'Everybody gets an address of this domain: name one of your own.'],
  issuer: [
    'issuer',
    'The metadata of this issuer cannot be read: it has to be a public https address.',
  ],
  domainRecord: [
    'txt_record',
    'The TXT record was not found: publish it, wait until DNS knows it, try again.',
  ],
  nameServers: ['txt_record', 'The name servers of the domain did not answer. Try again later.'],
  domainTaken: [
    'txt_record',
    'Another provider is verified for this domain: it has to be removed first.',
  ],
  notVerified: ['txt_record', 'Verify the domain first.'],
  providerAdded: ['domain', 'Another request has just added this provider.'],
  providerRemoved: ['txt_record', 'Another request has just removed this provider.'],
} as const

/** What is wrong with the provider of an organisation, or with its domain (422). */
export class OrganisationRefused extends Exception {
  static override status = 422
  static override code = 'E_ORGANISATION_REFUSED'
  readonly field: string

  /** @param rule key of the words in `validation.messages` */
  constructor(readonly rule: keyof typeof REFUSALS) {
    const [field, message] = REFUSALS[rule]
    super(message)
    this.field = field
  }
}

/** @throws {OrganisationRefused} by the rule, unless the condition holds */
export function assertRule(isRight: unknown, rule: keyof typeof REFUSALS): asserts isRight {
  assertOr(isRight, OrganisationRefused, rule)
}

/** For the `catch` of a write: what another request has just written is refused by the rule. */
export const refuseTwice = (rule: keyof typeof REFUSALS) => (error: unknown) => {
  throw isUniqueViolation(error) ? new OrganisationRefused(rule) : error
}
