import type { HttpContext } from '@adonisjs/core/http'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'

import { ConfirmationRequired, ProviderRequired, TemporarilyUnavailable } from '#auth/errors'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { assertOr } from '#process/assert_or'
import { Admission } from '#social/admission'
import { type Attempt, joins, keepAttempt, takeAddress, takeAttempt } from '#social/pending'
import type { ResolvedSocialConfig } from '#social/define_config'
import { isOutage, logFailure, providerIsDown, refusal } from '#social/failures'
import type { Organisations } from '#social/organisations'
import type { LogoutToken } from '#social/providers/logout_token'
import type { IdentityProvider } from '#social/providers/provider'
import type { Arrival, BeginOptions, SocialOutcome, SocialServices } from '#social/types'

/** How a sign-in at another place is called among authentication methods: RFC 8176 has no name for it. */
const FEDERATED = 'fed'

/** Signing in through other places: Google, GitHub, and every provider of OpenID Connect. */
export class Social {
  readonly identities: Admission

  constructor(
    protected readonly config: ResolvedSocialConfig,
    protected readonly services: SocialServices
  ) {
    this.identities = new Admission(config, services)
  }

  get providers(): { name: string; label: string }[] {
    return [...this.config.providers.values()].map(({ name, label }) => ({ name, label }))
  }

  async isOffered(): Promise<boolean> {
    return this.config.providers.size > 0 || ((await this.organisations?.isAny()) ?? false)
  }

  /** The identity providers of organisations; null where there is no table for them. */
  get organisations(): Organisations | null {
    return this.services.organisations
  }

  /**
   * Holds a sign-in against the rule of the organisation that has the address's domain, whether there is an account or not.
   * While an identity of it waits for the owner of an account, this browser may use the password: to sign in once more.
   * @param hasPassword false: somebody typed their address alone
   * @throws {ProviderRequired} when they have to go to the provider of their organisation
   */
  async assertPasswordWorks(ctx: HttpContext, email: unknown, hasPassword = true): Promise<void> {
    const holder = await this.organisations?.holderOf(email)
    if (!holder || (hasPassword && !holder.forbidsPassword)) {
      return
    }
    const join = hasPassword ? joins.find(ctx) : null
    const address = String(email).trim().toLowerCase()
    const isAwaited = join?.name === holder.name && join.email === address
    assertOr(isAwaited, ProviderRequired, holder.name)
  }

  /** Returns where the browser goes. @throws {TemporarilyUnavailable} when the provider does not answer */
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
      logFailure(ctx, name, error)
      throw providerIsDown()
    }
  }

  async finish(ctx: HttpContext, provider: IdentityProvider, users: Users): Promise<SocialOutcome> {
    const { name } = provider
    const callback = this.#callback(name)
    callback.search = new URL(ctx.request.url(true), callback).search
    const state = callback.searchParams.get('state') ?? ''
    const attempt = takeAttempt(ctx, state)
    if (!attempt || attempt.name !== name || !(await this.#useUp(attempt))) {
      logFailure(ctx, name, new Error('the state is unknown here, or was used before'))
      return refusal(provider, attempt?.purpose ?? 'sign_in', 'failed')
    }
    const isDenied = callback.searchParams.get('error') === 'access_denied'
    const outcome = isDenied
      ? refusal(provider, attempt.purpose, 'denied')
      : await this.#judge({ ctx, users, provider }, callback, { ...attempt, state })
    if (outcome.kind !== 'refused') {
      return outcome
    }
    if (attempt.userId !== null && !isDenied) {
      await this.identities.recordRefusal(ctx, users, attempt.userId, outcome)
    }
    return { ...outcome, remember: attempt.remember }
  }

  async #judge(
    came: Omit<Arrival, 'identity'>,
    callback: URL,
    attempt: Attempt & { state: string }
  ): Promise<SocialOutcome> {
    const { ctx, provider } = came
    const asked = provider.profile(callback, checksOf(attempt.state, attempt))
    const profile = await asked.catch((error) => {
      logFailure(ctx, provider.name, error)
      return isOutage(error) ? 'unavailable' : 'failed'
    })
    if (typeof profile === 'string') {
      return refusal(provider, attempt.purpose, profile)
    }
    const { issuer, subject, sid, email, fullName } = profile
    const { remember } = attempt
    const amr = provider.acceptsAmr ? profile.amr : []
    const now = Date.now()
    const identity = {
      ...{ name: provider.name, issuer, subject, sid, email: email ?? '', fullName, remember },
      methods: [FEDERATED, ...amr],
      mfa: amr.includes('mfa'),
      createdAt: now,
      expiresAt: now,
    }
    return this.identities.conclude({ ...came, identity }, profile, attempt)
  }

  /** Goes on with an identity whose address has been verified by the secret that was sent to it. */
  async followAddressLink(ctx: HttpContext, secret: string, users: Users): Promise<SocialOutcome> {
    const identity = takeAddress(ctx, secret)
    const provider = identity && (await this.identities.provider(identity.name))
    return provider
      ? this.identities.admit({ ctx, users, provider, identity }, 'verified', true)
      : { kind: 'refused', purpose: 'sign_in', reason: 'bad_link', label: '' }
  }

  /** What waits for the owner of the account who is signed in; null when nothing does. */
  async pendingJoin(ctx: HttpContext, user: unknown, users: Users) {
    const join = joins.find(ctx)
    const provider = join && (await this.identities.provider(join.name))
    return provider && join.userId === users.identify(user) ? { label: provider.label } : null
  }

  /**
   * Gives the signed-in user the identity that waits for them; false when none does, or it has an owner.
   * @param provenAt when the user last proved who they are (epoch milliseconds)
   * @throws {ConfirmationRequired} when that was before the identity came
   */
  async join(ctx: HttpContext, user: unknown, users: Users, provenAt: number): Promise<boolean> {
    const join = (await this.pendingJoin(ctx, user, users)) && joins.find(ctx)
    if (!join) {
      return false
    }
    assertOr(provenAt >= join.createdAt, ConfirmationRequired)
    joins.forget(ctx)
    const isOwn = this.identities.isVerified(user, join.email)
    return isOwn && this.identities.link(ctx, users, user, join)
  }

  /**
   * Ends the sessions that a logout token of a provider names (OpenID Connect Back-Channel Logout 1.0).
   * @returns false for a token that is invalid or used; null when no such provider tells of logouts
   * @throws {TemporarilyUnavailable} when the keys of the provider cannot be read
   */
  async hearLogout(ctx: HttpContext, name: string, token: unknown): Promise<boolean | null> {
    const provider = await this.identities.provider(name)
    if (!provider?.readLogoutToken) {
      return null
    }
    const said = await provider.readLogoutToken(String(token)).catch((error) => {
      logFailure(ctx, name, error, 'A logout token of a provider was refused')
      const problem = 'The keys of the provider cannot be read.'
      assertOr(!isOutage(error), TemporarilyUnavailable, 30, problem)
      return null
    })
    if (!said) {
      return false
    }
    /* Used up last: when the sessions could not be ended, the provider sends the token again. */
    const { used } = this.services.store
    const key = `${said.issuer} ${said.jti}`
    if (await used.isUsed('logout_token', key)) {
      return false
    }
    await this.#endSessions(ctx, provider, said)
    return used.use('logout_token', key, said.expiresAt)
  }

  /** An organisation chooses its client: what its provider tells this one is about sign-ins through it. */
  async #endSessions(ctx: HttpContext, provider: IdentityProvider, said: LogoutToken) {
    const { manager } = this.services
    const { label: name, domain } = provider
    const from = { ...said, through: domain === undefined ? undefined : provider.name }
    const ended = (await manager.feature('sessions')?.destroyFrom(from)) ?? []
    const ofPeople = ended.filter(({ userId }) => userId !== null)
    for (const [guard, sessions] of Map.groupBy(ofPeople, (session) => session.guard)) {
      const users = manager.usersOf(guard ?? undefined)
      const people = await users.findAll([...new Set(sessions.map(({ userId }) => userId!))])
      for (const user of people.values()) {
        await recordSecurityEvent(ctx, user, 'identity_signed_out', { name }, users)
      }
    }
  }

  #useUp({ key, expiresAt }: Attempt & { key: string }) {
    return this.services.store.used.use('social_state', key, expiresAt)
  }

  #callback(name: string): URL {
    return new URL(`/auth/${name}/callback`, this.services.appUrl)
  }
}

function checksOf(state: string, { nonce, verifier, purpose, startedAt }: Attempt) {
  return { state, nonce, verifier, freshSince: purpose === 'confirm' ? startedAt : null }
}
