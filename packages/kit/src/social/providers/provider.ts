import { calculatePKCECodeChallenge } from 'openid-client'

import { assertKind } from '#config/checks'
import { type FetchInit, readBytes } from '#http/document_fetcher'
import { isOfDomain } from '#social/domains'
import type { LogoutToken } from '#social/providers/logout_token'
import type { Checks, SocialProfile } from '#social/types'

/** Seconds that a provider may take to answer: somebody is waiting. */
export const TIMEOUT = 8
/** Bytes of an answer of a provider. */
export const MAX_BYTES = 200_000

export interface ProviderSettings {
  /** What buttons call it. */
  label: string
  clientId: string
  /** Default: a client without a secret. */
  clientSecret?: string
  /** Whose addresses it knows: domains, `*` for all, or a function. Default: none, so that people verify their address here. */
  trustedFor?: readonly string[] | ((email: string, claims: Record<string, unknown>) => boolean)
  /** Whether its `amr` counts, e.g. `mfa` as the second factor. Default false. */
  acceptsAmr?: boolean
  /** Parameters of every authorization request. */
  parameters?: Record<string, string>
  /** Parameters with which the provider asks for the password again. Default `prompt=login` and `max_age=0`. */
  reauthentication?: Record<string, string>
}

/** A place where people have identities: a provider of `config/social.ts` or of an organisation. */
export abstract class IdentityProvider {
  /** Of an organisation: the domain whose people sign in there. */
  readonly domain?: string

  /** @param name in `config/social.ts`; also part of its addresses. @throws {InvalidArgumentsException} for settings of a kind that would trust more */
  constructor(
    readonly name: string,
    protected readonly settings: ProviderSettings
  ) {
    const { trustedFor = [], acceptsAmr = false } = settings
    const domains = typeof trustedFor === 'function' ? [] : trustedFor
    assertKind(`SocialConfig "${name}"`, 'trustedFor', domains, 'a list of texts')
    assertKind(`SocialConfig "${name}"`, 'acceptsAmr', acceptsAmr, 'true or false')
  }

  get label(): string {
    return this.settings.label
  }

  get acceptsAmr(): boolean {
    return this.settings.acceptsAmr ?? false
  }

  /** Whether its word on who owns an address counts. */
  isTrustedFor({ email, claims }: SocialProfile): boolean {
    const { trustedFor = [] } = this.settings
    const isListed = (one: string) => one === '*' || isOfDomain(email!, one)
    return (
      email !== null &&
      (typeof trustedFor === 'function' ? trustedFor(email, claims) : trustedFor.some(isListed))
    )
  }

  abstract authorizationUrl(redirectUri: string, checks: Checks): Promise<URL>

  /** The person of an answer, which has been checked. */
  abstract profile(callback: URL, checks: Checks): Promise<SocialProfile>

  /** What a logout token says, which has been checked. A provider without the method tells of no logouts. */
  readLogoutToken?(token: string): Promise<LogoutToken>

  /** As Node's, for answers of a bounded length. @throws {DocumentNotFetched} for a longer one */
  protected async fetch(url: string, init: FetchInit): Promise<Response> {
    const response = await fetch(url, init as RequestInit)
    const body = (response.body ?? []) as unknown as AsyncIterable<Uint8Array>
    const bytes = await readBytes(body, MAX_BYTES)
    return new Response(bytes.length ? bytes : null, response)
  }

  protected get reauthentication() {
    return this.settings.reauthentication ?? { prompt: 'login', max_age: '0' }
  }

  protected async requestParameters({ state, verifier, freshSince }: Checks) {
    return {
      ...this.settings.parameters,
      ...(freshSince === null ? {} : this.reauthentication),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
  }
}
