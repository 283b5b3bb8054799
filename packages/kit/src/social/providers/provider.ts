import { calculatePKCECodeChallenge } from 'openid-client'

import type { Checks, IdentityProvider, SocialProfile } from '#social/types'

/** Seconds that a provider may take to answer: somebody is waiting. */
export const TIMEOUT = 8

/** What every provider has. */
export interface ProviderSettings {
  /** What buttons call it. */
  label: string
  clientId: string
  /** Default: a client without a secret. */
  clientSecret?: string
  /**
   * Whose addresses the provider knows: domains, `*` for all, or a function of the
   * address and the claims. Default: none, so that people verify their address here.
   */
  trustedFor?: readonly string[] | ((email: string, claims: Record<string, unknown>) => boolean)
  /** Whether its `amr` counts, e.g. `mfa` as the second factor. Default false. */
  acceptsAmr?: boolean
  /** Parameters of every authorization request. */
  parameters?: Record<string, string>
  /** Parameters with which the provider asks for the password again. Default `prompt=login` and `max_age=0`. */
  reauthentication?: Record<string, string>
}

/** A provider of `config/social.ts` or of an organisation. */
export abstract class ConfiguredProvider<
  Settings extends ProviderSettings,
> implements IdentityProvider {
  constructor(
    readonly name: string,
    protected readonly settings: Settings
  ) {}

  get label(): string {
    return this.settings.label
  }

  get acceptsAmr(): boolean {
    return this.settings.acceptsAmr ?? false
  }

  isTrustedFor({ email, claims }: SocialProfile): boolean {
    const { trustedFor = [] } = this.settings
    if (email === null) {
      return false
    }
    return typeof trustedFor === 'function'
      ? trustedFor(email, claims)
      : trustedFor.includes('*') || trustedFor.includes(email.slice(email.lastIndexOf('@') + 1))
  }

  abstract authorizationUrl(redirectUri: string, checks: Checks): Promise<URL>

  abstract profile(callback: URL, checks: Checks): Promise<SocialProfile>

  protected get reauthentication(): Record<string, string> {
    return this.settings.reauthentication ?? { prompt: 'login', max_age: '0' }
  }

  /** What every authorization request has. */
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
