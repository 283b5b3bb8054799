import type { HttpContext } from '@adonisjs/core/http'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'

import type { AccessKind } from '#auth/account_access'
import { ConfirmationRequired, TemporarilyUnavailable } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import { optionalUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import type {} from '#auth/email_verification'
import type { Users } from '#auth/users'
import type { Background } from '#process/background'
import { generateSecret, hashSecret } from '#security/secrets'
import { type Attempt, keepAttempt, takeAttempt } from '#social/attempts'
import type { ResolvedSocialConfig } from '#social/define_config'
import { isOutage, reasonOf } from '#social/failures'
import { type LocalAccount, decideLinking } from '#social/linking'
import {
  type PendingIdentity,
  findJoin,
  forgetJoin,
  keepAddress,
  keepJoin,
  takeAddress,
} from '#social/pending_identity'
import type {
  BeginOptions,
  IdentityProvider,
  NewIdentity,
  Owner,
  Purpose,
  Refused,
  SocialIdentity,
  SocialOutcome,
  SocialProfile,
  SocialStore,
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
  }
}

/** Milliseconds that an identity waits for the owner of an account. */
const JOIN_LIFETIME = 30 * 60 * 1000

const MINUTE = 60 * 1000

/** Seconds after which a provider that does not answer may be tried again. */
const RETRY_AFTER = 30

/** How a sign-in at another place is called among authentication methods: RFC 8176 has no name for it. */
const FEDERATED = 'fed'

export interface SocialServices {
  store: SocialStore
  manager: AuthManager
  background: Background
  /** Where people reach the application. */
  appUrl: string
}

/** Signing in through other places: Google, GitHub, and every provider of OpenID Connect. */
export class Social {
  readonly #config: ResolvedSocialConfig
  readonly #services: SocialServices

  constructor(config: ResolvedSocialConfig, services: SocialServices) {
    this.#config = config
    this.#services = services
  }

  /** The providers that are set up, for buttons. */
  get providers(): { name: string; label: string }[] {
    return [...this.#config.providers.values()].map(({ name, label }) => ({ name, label }))
  }

  has(name: string): boolean {
    return this.#config.providers.has(name)
  }

  /**
   * Begins a sign-in at a provider, and returns where the browser goes.
   *
   * @throws {TemporarilyUnavailable} when the provider does not answer
   */
  async begin(
    ctx: HttpContext,
    name: string,
    users: Users,
    { purpose, user, remember = false }: BeginOptions
  ): Promise<URL> {
    const provider = this.#config.providers.get(name)!
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
  async finish(ctx: HttpContext, name: string, users: Users): Promise<SocialOutcome> {
    const provider = this.#config.providers.get(name)!
    const callback = this.#callback(name)
    callback.search = new URL(ctx.request.url(true), callback).search
    const state = callback.searchParams.get('state') ?? ''
    const attempt = takeAttempt(ctx, state)
    const refuse = (reason: Refused) => refusal(provider, attempt?.purpose ?? 'sign_in', reason)
    if (!attempt || attempt.name !== name || !(await this.#useUp(attempt))) {
      this.#log(ctx, name, new Error('the state is unknown here, or was used before'))
      return refuse('failed')
    }
    if (callback.searchParams.get('error') === 'access_denied') {
      return refuse('denied')
    }
    let profile: SocialProfile
    try {
      profile = await provider.profile(callback, checksOf(state, attempt))
    } catch (error) {
      this.#log(ctx, name, error)
      return refuse(isOutage(error) ? 'unavailable' : 'failed')
    }
    return this.#conclude(ctx, users, provider, profile, attempt)
  }

  /** Goes on with an identity whose address has been verified by the secret that was sent to it. */
  async followAddressLink(ctx: HttpContext, secret: string, users: Users): Promise<SocialOutcome> {
    const pending = takeAddress(ctx, secret)
    const provider = pending && this.#config.providers.get(pending.name)
    return provider
      ? this.#admit(ctx, users, provider, pending, { says: 'verified', isTrusted: true })
      : { kind: 'refused', purpose: 'sign_in', reason: 'failed', label: '' }
  }

  /** What waits for the owner of the account who is signed in; null when nothing does. */
  pendingJoin(ctx: HttpContext, user: unknown, users: Users): { label: string } | null {
    const join = findJoin(ctx)
    const provider = join && this.#config.providers.get(join.name)
    return provider && join.userId === users.identify(user) ? { label: provider.label } : null
  }

  /**
   * Gives the signed-in user the identity that waits for them; false when none does, or it has an owner.
   *
   * @param provenAt when the user last proved who they are (epoch milliseconds)
   * @throws {ConfirmationRequired} when that was before the identity came
   */
  async join(ctx: HttpContext, user: unknown, users: Users, provenAt: number): Promise<boolean> {
    const join = this.pendingJoin(ctx, user, users) && findJoin(ctx)
    if (!join) {
      return false
    }
    if (provenAt < join.createdAt) {
      throw new ConfirmationRequired()
    }
    forgetJoin(ctx)
    const { accounts } = this.#config
    return accounts.address(user) === join.email && this.#isVerified(user)
      ? this.#link(ctx, users, user, join)
      : false
  }

  /** The identities of a user, the oldest first. */
  async list(user: unknown, users: Users): Promise<SocialIdentity[]> {
    return this.#services.store.listFor(ownerOf(user, users))
  }

  /** Whether the user knows a password: an account that a provider made has one that nobody knows. */
  async hasPassword(user: unknown, users: Users): Promise<boolean> {
    const mark = markOf(user, users)
    const identities = await this.list(user, users)
    return mark === null || identities.every(({ passwordMark }) => passwordMark !== mark)
  }

  /**
   * Takes an identity from a user.
   *
   * @param hasOtherWay whether the user can sign in without any identity
   */
  async unlink(
    ctx: HttpContext,
    user: unknown,
    users: Users,
    id: string,
    { hasOtherWay }: { hasOtherWay: boolean }
  ): Promise<'unlinked' | 'unknown' | 'last'> {
    const keepOne = hasOtherWay ? null : [...this.#config.providers.keys()]
    const unlinked = await this.#services.store.delete(ownerOf(user, users), id, { keepOne })
    if (typeof unlinked === 'string') {
      return unlinked
    }
    const name = this.#config.providers.get(unlinked.name)?.label ?? unlinked.name
    await recordSecurityEvent(ctx, user, 'identity_unlinked', { name }, users)
    return 'unlinked'
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
    const known = await this.#find(profile, users)
    if (purpose !== 'sign_in') {
      const user = await this.#userOf(ctx, attempt, users)
      if (!user) {
        return refusal(provider, purpose, 'other_person')
      }
      const isOwn = known !== null && known.userId === users.identify(user)
      if (purpose === 'confirm') {
        return isOwn ? { kind: 'confirmed' } : refusal(provider, purpose, 'other_person')
      }
      return isOwn
        ? { kind: 'linked', label: provider.label }
        : this.#linkOwn(ctx, users, provider, user, { ...pending, email: profile.email })
    }
    if (known) {
      return this.#recognise(users, provider, known, pending, profile.email)
    }
    if (profile.email === null) {
      return refusal(provider, purpose, 'no_address')
    }
    return this.#admit(ctx, users, provider, pending, {
      says: profile.says,
      isTrusted: provider.isTrustedFor(profile),
    })
  }

  /** Somebody whose identity belongs to an account: the address does not matter. */
  async #recognise(
    users: Users,
    provider: IdentityProvider,
    known: SocialIdentity,
    { methods, mfa, remember }: PendingIdentity,
    email: string | null
  ): Promise<SocialOutcome> {
    const user = await users.findActive(known.userId)
    if (!user) {
      return refusal(provider, 'sign_in', 'inactive')
    }
    await this.#services.store.touch(known.id, email ?? known.email, Date.now())
    return { kind: 'proven', user, methods, mfa, remember, isNew: false }
  }

  /** Somebody whose identity nobody has yet: the rule for linking. */
  async #admit(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    pending: PendingIdentity,
    word: { says: SocialProfile['says']; isTrusted: boolean }
  ): Promise<SocialOutcome> {
    const account = await this.#config.accounts.find(pending.email)
    /* Account and identity are made at once: another browser of this person may have been faster. */
    const known = account && (await this.#find(pending, users))
    if (known) {
      return this.#recognise(users, provider, known, pending, pending.email)
    }
    switch (decideLinking({ ...word, local: this.#stateOf(account) })) {
      case 'create':
        return this.#create(ctx, users, provider, pending)
      case 'join':
        return this.#awaitOwner(ctx, users, provider, pending, account)
      case 'claim':
        return this.#claim(ctx, users, provider, pending, account)
      case 'verify':
        return this.#askForAddress(ctx, pending, account !== null)
    }
  }

  /** Whoever loses a race against the same identity or address is judged anew. */
  async #create(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    pending: PendingIdentity
  ): Promise<SocialOutcome> {
    const { email, fullName, methods, mfa, remember } = pending
    const { accounts } = this.#config
    const password = await users.hasher.make(generateSecret())
    const user = await this.#services.store.insertWithAccount(
      identityOf(pending),
      async (client) => {
        const made = await accounts.create({ email, fullName, password }, client)
        return { user: made, owner: ownerOf(made, users), passwordMark: markOf(made, users) }
      }
    )
    if (!user) {
      const known = await this.#find(pending, users)
      return known
        ? this.#recognise(users, provider, known, pending, email)
        : this.#admit(ctx, users, provider, pending, { says: 'verified', isTrusted: true })
    }
    await recordSecurityEvent(ctx, user, 'registered', {}, users)
    return { kind: 'proven', user, methods, mfa, remember, isNew: true }
  }

  /** The owner of the address arrives at an account that somebody prepared: nothing of before goes on, also not the password. */
  async #claim(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    pending: PendingIdentity,
    account: unknown
  ): Promise<SocialOutcome> {
    const { email, methods, mfa, remember } = pending
    const id = users.identify(account)
    const user = await users.findActive(id)
    if (!user) {
      return refusal(provider, 'sign_in', 'inactive')
    }
    if (this.#isVerified(user)) {
      return this.#awaitOwner(ctx, users, provider, pending, user)
    }
    await this.#services.manager.accountAccess.firstArrival(user, users, ctx)
    /* Read once more: two sign-ins of the owner may arrive at once, and each ends what the other made. */
    const arrived = await users.findActive(id)
    if (!arrived || !this.#isVerified(arrived)) {
      return refusal(provider, 'sign_in', 'failed')
    }
    if (await this.#insert(ctx, users, arrived, pending, markOf(arrived, users))) {
      return { kind: 'proven', user: arrived, methods, mfa, remember, isNew: false }
    }
    const known = await this.#find(pending, users)
    return known
      ? this.#recognise(users, provider, known, pending, email)
      : refusal(provider, 'sign_in', 'failed')
  }

  #awaitOwner(
    ctx: HttpContext,
    users: Users,
    { label }: IdentityProvider,
    pending: PendingIdentity,
    account: unknown
  ): SocialOutcome {
    const expiresAt = Date.now() + JOIN_LIFETIME
    keepJoin(ctx, { ...pending, expiresAt, userId: users.identify(account) })
    return { kind: 'join', email: pending.email, label }
  }

  /** Neither the answer nor its time tells whether an account has the address. */
  async #askForAddress(
    ctx: HttpContext,
    pending: PendingIdentity,
    isTaken: boolean
  ): Promise<SocialOutcome> {
    const { notifier, expire } = this.#config
    const { background, manager, appUrl } = this.#services
    const { email } = pending
    await manager.feature('throttle')?.penalize('verificationMails', `mailbox:${email}`, ctx)
    const link = new URL('/auth/address', appUrl)
    const expiresAt = pending.createdAt + expire * MINUTE
    link.searchParams.set('token', keepAddress(ctx, { ...pending, expiresAt }))
    background.afterReply(ctx.response, 'send a link that verifies an address', async () => {
      await (isTaken ? notifier.taken(email) : notifier.verify(email, link.href))
    })
    return { kind: 'verify', email }
  }

  /** An account whose address nobody has verified may be somebody else's next week: it gets no identities. */
  async #linkOwn(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    user: unknown,
    identity: Omit<PendingIdentity, 'email'> & { email: string | null }
  ): Promise<SocialOutcome> {
    if (!this.#isVerified(user)) {
      return refusal(provider, 'link', 'unverified_own')
    }
    return (await this.#link(ctx, users, user, identity))
      ? { kind: 'linked', label: provider.label }
      : refusal(provider, 'link', 'in_use')
  }

  async #link(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    identity: Omit<PendingIdentity, 'email'> & { email: string | null }
  ): Promise<boolean> {
    const passwordMark = (await this.hasPassword(user, users)) ? null : markOf(user, users)
    return this.#insert(ctx, users, user, identity, passwordMark)
  }

  /** @param passwordMark of a password that nobody knows; null when the user knows theirs */
  async #insert(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    identity: Omit<PendingIdentity, 'email'> & { email: string | null },
    passwordMark: string | null
  ): Promise<boolean> {
    const isLinked = await this.#services.store.insert({
      ...identityOf(identity),
      ...ownerOf(user, users),
      passwordMark,
    })
    if (isLinked) {
      const name = this.#config.providers.get(identity.name)!.label
      await recordSecurityEvent(ctx, user, 'identity_linked', { name }, users)
    }
    return isLinked
  }

  /** The signed-in user, if it is still the one who began. */
  async #userOf(ctx: HttpContext, { userId }: Attempt, users: Users): Promise<unknown> {
    const user = await optionalUser(ctx)
    return user && users.identify(user) === userId ? user : null
  }

  async #find({ issuer, subject }: { issuer: string; subject: string }, users: Users) {
    return this.#services.store.find({ issuer, subject, provider: users.name })
  }

  async #useUp({ key, expiresAt }: Attempt & { key: string }): Promise<boolean> {
    return this.#services.store.used.use('social_state', key, expiresAt)
  }

  #stateOf(account: unknown): LocalAccount {
    if (account === null) {
      return 'none'
    }
    return this.#isVerified(account) ? 'verified' : 'unverified'
  }

  #isVerified(user: unknown): boolean {
    return this.#services.manager.feature('emailVerification')?.isVerified(user) ?? false
  }

  #callback(name: string): URL {
    return new URL(`/auth/${name}/callback`, this.#services.appUrl)
  }

  /** Operators learn why, without what the provider has sent: it may hold a token. */
  #log({ logger }: HttpContext, provider: string, error: unknown): void {
    logger.warn({ provider, reason: reasonOf(error) }, 'A sign-in through a provider failed')
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
  const { issuer, subject, email, fullName } = profile
  const amr = provider.acceptsAmr ? profile.amr : []
  const now = Date.now()
  return {
    name: provider.name,
    issuer,
    subject,
    email: email ?? '',
    fullName,
    methods: [FEDERATED, ...amr],
    mfa: amr.includes('mfa'),
    remember,
    createdAt: now,
    expiresAt: now,
  }
}

function identityOf<Email extends string | null>({
  name,
  issuer,
  subject,
  email,
}: {
  name: string
  issuer: string
  subject: string
  email: Email
}): Pick<NewIdentity, 'name' | 'issuer' | 'subject' | 'email'> {
  return { name, issuer, subject, email }
}

function ownerOf(user: unknown, users: Users): Owner {
  return { userId: users.identify(user), provider: users.name }
}

/** Short, and no hash of a password in a second table. */
function markOf(user: unknown, users: Users): string | null {
  const stamp = users.passwordStamp(user)
  return stamp === null ? null : hashSecret(stamp)
}
