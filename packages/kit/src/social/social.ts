import type { HttpContext } from '@adonisjs/core/http'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'

import type { AccessKind } from '#auth/account_access'
import { ConfirmationRequired, ProviderRequired, TemporarilyUnavailable } from '#auth/errors'
import type { DestroyedSession } from '#auth/features'
import { optionalUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { Admission } from '#social/admission'
import { type Attempt, keepAttempt, takeAttempt } from '#social/attempts'
import type { ResolvedSocialConfig } from '#social/define_config'
import { isOutage, reasonOf } from '#social/failures'
import { Identities, ownerOf } from '#social/identities'
import type { Organisations } from '#social/organisations'
import type { LogoutToken } from '#social/providers/logout_token'
import { type PendingIdentity, findJoin, forgetJoin, takeAddress } from '#social/pending_identity'
import type {
  BeginOptions,
  IdentityProvider,
  Purpose,
  Refused,
  SocialIdentity,
  SocialOutcome,
  SocialProfile,
  SocialServices,
} from '#social/types'

declare module '#auth/features' {
  interface AuthFeatures {
    social: Social
  }
}

declare module '#auth/security_events' {
  interface SecurityEvents {
    /** An identity at a provider was connected with the account. */
    identity_linked: { name: string }
    identity_unlinked: { name: string }
    /** Somebody came from a provider and was refused, who is known to be of this account; the reason is a key of `social.refused`. */
    identity_refused: { name: string; reason: string }
    /** A provider said that the person signed out there. */
    identity_signed_out: { name: string }
  }
}

/** Seconds after which a provider that does not answer may be tried again. */
const RETRY_AFTER = 30

/** How a sign-in at another place is called among authentication methods: RFC 8176 has no name for it. */
const FEDERATED = 'fed'

/** Signing in through other places: Google, GitHub, and every provider of OpenID Connect. */
export class Social {
  readonly #config: ResolvedSocialConfig
  readonly #services: SocialServices
  readonly #identities: Identities
  readonly #admission: Admission

  constructor(config: ResolvedSocialConfig, services: SocialServices) {
    this.#config = config
    this.#services = services
    this.#identities = new Identities(config, services)
    this.#admission = new Admission(config, services, this.#identities)
  }

  /** The providers that are set up, for buttons. */
  get providers(): { name: string; label: string }[] {
    return [...this.#config.providers.values()].map(({ name, label }) => ({ name, label }))
  }

  /** The identity providers of organisations; null where there is no table for them. */
  get organisations(): Organisations | null {
    return this.#services.organisations
  }

  /** The provider with this name, of the settings or of an organisation; null when there is none, or not any more. */
  async provider(name: string): Promise<IdentityProvider | null> {
    return this.#identities.provider(name)
  }

  /**
   * Holds a sign-in against the rule of the organisation whose domain the address has. The
   * domain decides, whether there is an account or not. While an identity of the organisation waits
   * for the owner of an account, this browser may use the password: to sign in once more.
   *
   * @param hasPassword false: somebody typed their address alone
   * @throws {ProviderRequired} when they have to go to the provider of their organisation
   */
  async assertPasswordWorks(ctx: HttpContext, email: unknown, hasPassword = true): Promise<void> {
    const holder = await this.organisations?.holderOf(email)
    if (!holder || (hasPassword && !holder.forbidsPassword)) {
      return
    }
    const join = ctx.session && findJoin(ctx)
    if (!hasPassword || join?.email !== String(email).trim().toLowerCase()) {
      throw new ProviderRequired(holder.name)
    }
  }

  /**
   * Begins a sign-in at a provider, and returns where the browser goes.
   *
   * @throws {TemporarilyUnavailable} when the provider does not answer
   */
  async begin(
    ctx: HttpContext,
    provider: IdentityProvider,
    users: Users,
    { purpose, user, remember = false }: BeginOptions
  ): Promise<URL> {
    const { name } = provider
    const state = randomState()
    const attempt = keepAttempt(ctx, state, {
      name,
      purpose,
      userId: user ? users.identify(user) : null,
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      remember,
    })
    try {
      return await provider.authorizationUrl(this.#callback(name).href, checksOf(state, attempt))
    } catch (error) {
      this.#log(ctx, name, error)
      throw new TemporarilyUnavailable(
        RETRY_AFTER,
        'The provider does not answer. Try again later.'
      )
    }
  }

  /** Judges the answer of a provider. */
  async finish(ctx: HttpContext, provider: IdentityProvider, users: Users): Promise<SocialOutcome> {
    const { name } = provider
    const callback = this.#callback(name)
    callback.search = new URL(ctx.request.url(true), callback).search
    const state = callback.searchParams.get('state') ?? ''
    const attempt = takeAttempt(ctx, state)
    if (!attempt || attempt.name !== name || !(await this.#useUp(attempt))) {
      this.#log(ctx, name, new Error('the state is unknown here, or was used before'))
      return refusal(provider, attempt?.purpose ?? 'sign_in', 'failed')
    }
    if (callback.searchParams.get('error') === 'access_denied') {
      return refusal(provider, attempt.purpose, 'denied')
    }
    const outcome = await this.#judge(ctx, users, provider, callback, { ...attempt, state })
    if (outcome.kind === 'refused' && attempt.userId !== null) {
      await this.#identities.recordRefusal(ctx, users, attempt.userId, outcome)
    }
    return outcome
  }

  async #judge(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    callback: URL,
    attempt: Attempt & { state: string }
  ): Promise<SocialOutcome> {
    let profile: SocialProfile
    try {
      profile = await provider.profile(callback, checksOf(attempt.state, attempt))
    } catch (error) {
      this.#log(ctx, provider.name, error)
      return refusal(provider, attempt.purpose, isOutage(error) ? 'unavailable' : 'failed')
    }
    return this.#conclude(ctx, users, provider, profile, attempt)
  }

  /** Goes on with an identity whose address has been verified by the secret that was sent to it. */
  async followAddressLink(ctx: HttpContext, secret: string, users: Users): Promise<SocialOutcome> {
    const pending = takeAddress(ctx, secret)
    const provider = pending && (await this.provider(pending.name))
    return provider
      ? this.#admission.admit(ctx, users, provider, pending, { says: 'verified', isTrusted: true })
      : { kind: 'refused', purpose: 'sign_in', reason: 'failed', label: '' }
  }

  /** What waits for the owner of the account who is signed in; null when nothing does. */
  async pendingJoin(
    ctx: HttpContext,
    user: unknown,
    users: Users
  ): Promise<{ label: string } | null> {
    const join = findJoin(ctx)
    const provider = join && (await this.provider(join.name))
    return provider && join.userId === users.identify(user) ? { label: provider.label } : null
  }

  /**
   * Gives the signed-in user the identity that waits for them; false when none does, or it has an owner.
   *
   * @param provenAt when the user last proved who they are (epoch milliseconds)
   * @throws {ConfirmationRequired} when that was before the identity came
   */
  async join(ctx: HttpContext, user: unknown, users: Users, provenAt: number): Promise<boolean> {
    const join = (await this.pendingJoin(ctx, user, users)) && findJoin(ctx)
    if (!join) {
      return false
    }
    if (provenAt < join.createdAt) {
      throw new ConfirmationRequired()
    }
    forgetJoin(ctx)
    const { accounts } = this.#config
    return accounts.address(user) === join.email && this.#identities.isVerified(user)
      ? this.#identities.link(ctx, users, user, join)
      : false
  }

  /** The identities of a user, the oldest first. */
  async list(user: unknown, users: Users): Promise<SocialIdentity[]> {
    return this.#identities.list(user, users)
  }

  /** The providers by which a user can sign in. */
  async connected(user: unknown, users: Users): Promise<IdentityProvider[]> {
    return this.#identities.connected(user, users)
  }

  /** Whether the user knows a password: an account that a provider made has one that nobody knows. */
  async hasPassword(user: unknown, users: Users): Promise<boolean> {
    return this.#identities.hasPassword(user, users)
  }

  /**
   * Takes an identity from a user.
   *
   * @param hasOtherWay whether the user can sign in without any identity
   */
  async unlink(...parameters: Parameters<Identities['unlink']>) {
    return this.#identities.unlink(...parameters)
  }

  /**
   * Ends the sessions that a logout token of a provider names (OpenID Connect Back-Channel Logout 1.0).
   *
   * @returns false for a token that is not valid, or was used before; null when no such provider tells of logouts
   * @throws {TemporarilyUnavailable} when the keys of the provider cannot be read
   */
  async hear(ctx: HttpContext, name: string, token: unknown): Promise<boolean | null> {
    const provider = await this.provider(name)
    if (!provider?.readLogoutToken) {
      return null
    }
    let said: LogoutToken
    try {
      said = await provider.readLogoutToken(String(token))
    } catch (error) {
      this.#log(ctx, name, error, 'A logout token of a provider was refused')
      if (isOutage(error)) {
        throw new TemporarilyUnavailable(RETRY_AFTER, 'The keys of the provider cannot be read.')
      }
      return false
    }
    const { manager, store } = this.#services
    if (!(await store.used.use('logout_token', `${said.issuer} ${said.jti}`, said.expiresAt))) {
      return false
    }
    const ended = (await manager.feature('sessions')?.destroyFrom(said)) ?? []
    await this.#recordLogouts(ctx, provider, ended)
    return true
  }

  async #recordLogouts(
    ctx: HttpContext,
    { label: name }: IdentityProvider,
    ended: DestroyedSession[]
  ): Promise<void> {
    for (const [guard, sessions] of Map.groupBy(ended, (session) => session.guard)) {
      const users = this.#services.manager.usersOf(guard ?? undefined)
      const people = await users.findAll([...new Set(sessions.map(({ userId }) => userId!))])
      for (const user of people.values()) {
        await recordSecurityEvent(ctx, user, 'identity_signed_out', { name }, users)
      }
    }
  }

  /** Identities as what acts for an account: each of them opens it. */
  get access(): AccessKind {
    return {
      name: 'identities',
      path: '/account/sign-in-methods',
      countOf: async (user, users) => {
        const identities = await this.list(user, users)
        return identities.length
      },
      endAllOf: (user, users) => this.forget(user, users),
    }
  }

  /** Deletes what is stored about a user, with their account. */
  async forget(user: unknown, users: Users): Promise<void> {
    await this.#services.store.deleteAll(ownerOf(user, users))
  }

  /** Deletes used states that have expired, and returns how many. */
  async purge(): Promise<number> {
    return this.#services.store.used.purge(Date.now())
  }

  async #conclude(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    profile: SocialProfile,
    attempt: Attempt
  ): Promise<SocialOutcome> {
    const { purpose } = attempt
    const pending = pendingOf(provider, profile, attempt)
    const known = await this.#identities.find(profile, users)
    if (purpose !== 'sign_in') {
      const user = await this.#userOf(ctx, attempt, users)
      if (!user) {
        return refusal(provider, purpose, 'other_person')
      }
      const isOwn =
        known?.userId === users.identify(user) && this.#identities.opens(provider, known, user)
      if (purpose === 'confirm') {
        return isOwn ? { kind: 'confirmed' } : refusal(provider, purpose, 'other_person')
      }
      return isOwn
        ? { kind: 'linked', label: provider.label }
        : this.#linkOwn(ctx, users, provider, user, { ...pending, email: profile.email })
    }
    if (known) {
      return this.#admission.recognise(ctx, users, provider, known, pending, profile.email)
    }
    if (profile.email === null) {
      return refusal(provider, purpose, 'no_address')
    }
    return this.#admission.admit(ctx, users, provider, pending, {
      says: profile.says,
      isTrusted: provider.isTrustedFor(profile),
    })
  }

  async #linkOwn(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    user: unknown,
    identity: Omit<PendingIdentity, 'email'> & { email: string | null }
  ): Promise<SocialOutcome> {
    if (!this.#identities.isVerified(user)) {
      return refusal(provider, 'link', 'unverified_own')
    }
    return (await this.#identities.link(ctx, users, user, identity))
      ? { kind: 'linked', label: provider.label }
      : refusal(provider, 'link', 'in_use')
  }

  /** The signed-in user, if it is still the one who began. */
  async #userOf(ctx: HttpContext, { userId }: Attempt, users: Users): Promise<unknown> {
    const user = await optionalUser(ctx)
    return user && users.identify(user) === userId ? user : null
  }

  async #useUp({ key, expiresAt }: Attempt & { key: string }): Promise<boolean> {
    return this.#services.store.used.use('social_state', key, expiresAt)
  }

  #callback(name: string): URL {
    return new URL(`/auth/${name}/callback`, this.#services.appUrl)
  }

  /** Operators learn why, without what the provider has sent: it may hold a token. */
  #log(
    { logger }: HttpContext,
    provider: string,
    error: unknown,
    message = 'A sign-in through a provider failed'
  ): void {
    logger.warn({ provider, reason: reasonOf(error) }, message)
  }
}

function refusal({ label }: IdentityProvider, purpose: Purpose, reason: Refused): SocialOutcome {
  return { kind: 'refused', purpose, reason, label }
}

function checksOf(state: string, { nonce, verifier, purpose, startedAt }: Attempt) {
  return { state, nonce, verifier, freshSince: purpose === 'confirm' ? startedAt : null }
}

function pendingOf(
  provider: IdentityProvider,
  profile: SocialProfile,
  { remember }: Attempt
): PendingIdentity {
  const { issuer, subject, sid, email, fullName } = profile
  const amr = provider.acceptsAmr ? profile.amr : []
  const now = Date.now()
  return {
    name: provider.name,
    issuer,
    subject,
    sid,
    email: email ?? '',
    fullName,
    methods: [FEDERATED, ...amr],
    mfa: amr.includes('mfa'),
    remember,
    createdAt: now,
    expiresAt: now,
  }
}
