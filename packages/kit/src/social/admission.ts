import { optionalUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { pathTo } from '#http/pages'
import { generateSecret, handOver } from '#security/secrets'
import { refusal } from '#social/failures'
import { type Attempt, joins, keepAddress } from '#social/pending'
import { Identities, factsOf, markOf } from '#social/identities'
import type { Arrival, SocialIdentity, SocialOutcome, SocialProfile } from '#social/types'

/** Milliseconds that an identity waits for the owner of an account. */
const JOIN_LIFETIME = 30 * 60 * 1000

/** What becomes of somebody who has signed in at a provider, to sign in here. */
export class Admission extends Identities {
  async conclude(arrival: Arrival, profile: SocialProfile, attempt: Attempt) {
    const { users, provider } = arrival
    const known = await this.find(profile, users)
    if (attempt.purpose !== 'sign_in') {
      return this.#ownIdentity(arrival, profile, attempt, known)
    }
    if (known) {
      return this.#recognise(arrival, known)
    }
    return profile.email === null
      ? refusal(provider, 'sign_in', 'no_address')
      : this.admit(arrival, profile.says, provider.isTrustedFor(profile))
  }

  /** Somebody who is signed in confirms, or connects an identity. */
  async #ownIdentity(
    { ctx, users, provider, identity }: Arrival,
    { email }: SocialProfile,
    attempt: Attempt,
    known: SocialIdentity | null
  ): Promise<SocialOutcome> {
    const { purpose, userId } = attempt
    const user = await optionalUser(ctx)
    if (!user || users.identify(user) !== userId) {
      return refusal(provider, purpose, 'other_person')
    }
    const isOwn = known?.userId === userId && this.opens(provider, known, user)
    if (purpose === 'confirm') {
      return isOwn ? { kind: 'confirmed' } : refusal(provider, purpose, 'other_person')
    }
    if (!isOwn && !this.isVerified(user)) {
      return refusal(provider, purpose, 'unverified_own')
    }
    return isOwn || (await this.link(ctx, users, user, { ...identity, email }))
      ? { kind: 'linked', label: provider.label }
      : refusal(provider, purpose, 'in_use')
  }

  /** Somebody whose identity belongs to an account: the address does not matter. */
  async #recognise(arrival: Arrival, known: SocialIdentity): Promise<SocialOutcome> {
    const { ctx, users, provider, identity } = arrival
    const user = await users.findActive(known.userId)
    if (!user || !this.opens(provider, known, user)) {
      const refused = refusal(provider, 'sign_in', user ? 'in_use' : 'inactive')
      await this.recordRefusal(ctx, users, known.userId, refused)
      return refused
    }
    await this.services.store.touch(known.id, identity.email || known.email, Date.now())
    return proven(arrival, user)
  }

  /**
   * Somebody whose identity nobody has yet: the rule for linking. An identity is an issuer and a subject; an address is a
   * hint, which counts when it is verified by who is trusted for it.
   */
  async admit(arrival: Arrival, says: SocialProfile['says'], isTrusted: boolean) {
    const found = await this.config.accounts.find(arrival.identity.email)
    const account = await arrival.users.resolve(found)
    /* Account and identity are made at once: another browser of this person may have been faster. Asked without an account, too: the time must not tell. */
    const known = await this.find(arrival.identity, arrival.users)
    if (known) {
      return this.#recognise(arrival, known)
    }
    if (says !== 'verified' || !isTrusted) {
      return this.#askForAddress(arrival, account !== null)
    }
    return account === null ? this.#create(arrival) : this.#claim(arrival, account)
  }

  /** Whoever loses a race against the same identity or address is judged anew. */
  async #create(arrival: Arrival): Promise<SocialOutcome> {
    const { ctx, users, identity } = arrival
    const { email, fullName } = identity
    const { accounts } = this.config
    const password = await users.hasher.make(generateSecret())
    const user = await this.services.store.insertWithAccount(factsOf(identity), async (client) => {
      const made = await users.resolve(await accounts.create({ email, fullName, password }, client))
      return { user: made, owner: users.ownerOf(made), passwordMark: markOf(made, users) }
    })
    if (!user) {
      const known = await this.find(identity, users)
      if (known) {
        return this.#recognise(arrival, known)
      }
      /* Without one, something else of the account is taken, e.g. its name: the same again would fail for ever. */
      return (await accounts.find(email)) === null
        ? refusal(arrival.provider, 'sign_in', 'failed')
        : this.admit(arrival, 'verified', true)
    }
    await recordSecurityEvent(ctx, user, 'registered', {}, users)
    if (await this.isOrphan(identity, users)) {
      return refusal(arrival.provider, 'sign_in', 'failed')
    }
    return { ...proven(arrival, user), isNew: true }
  }

  /**
   * The owner of the address arrives at its account. One who has shown before that it is theirs signs in once more; at an
   * account that somebody prepared nothing of before goes on, also not the password.
   */
  async #claim(arrival: Arrival, account: unknown): Promise<SocialOutcome> {
    const { ctx, users, identity } = arrival
    if (this.isVerified(account)) {
      return this.#awaitOwner(arrival, account)
    }
    const id = users.identify(account)
    const user = await users.findActive(id)
    if (!user) {
      return refusal(arrival.provider, 'sign_in', 'inactive')
    }
    if (this.isVerified(user)) {
      return this.#awaitOwner(arrival, user)
    }
    await this.services.manager.accountAccess.firstArrival(user, users, ctx)
    /* Read once more: two sign-ins of the owner may arrive at once, and each ends what the other made; a stranger may have changed the address. */
    const arrived = await users.findActive(id)
    if (!arrived || !this.isVerified(arrived, identity.email)) {
      return refusal(arrival.provider, 'sign_in', 'failed')
    }
    await this.insert(ctx, users, arrived, identity, markOf(arrived, users))
    const known = await this.find(identity, users)
    return known ? this.#recognise(arrival, known) : refusal(arrival.provider, 'sign_in', 'failed')
  }

  #awaitOwner({ ctx, users, provider, identity }: Arrival, account: unknown) {
    const expiresAt = Date.now() + JOIN_LIFETIME
    joins.keep(ctx, { ...identity, expiresAt, userId: users.identify(account) })
    const { email, remember } = identity
    return { kind: 'join' as const, email, label: provider.label, remember }
  }

  /** Neither the answer nor its time tells whether an account has the address. */
  async #askForAddress({ ctx, identity }: Arrival, isTaken: boolean): Promise<SocialOutcome> {
    const { notifier, expire } = this.config
    const { background, manager, appUrl } = this.services
    const { email } = identity
    await manager.feature('throttle')?.penalize('verificationMails', `proposed:${email}`, ctx)
    const link = new URL(pathTo('social.social_login.address'), appUrl)
    const expiresAt = identity.createdAt + expire * 60_000
    const token = keepAddress(ctx, { ...identity, expiresAt })
    link.searchParams.set('token', token)
    background.afterReply(ctx.response, 'send a link that verifies an address', () =>
      handOver(token, () => (isTaken ? notifier.taken(email) : notifier.verify(email, link.href)))
    )
    return { kind: 'verify', email }
  }
}

/** Somebody has proved who they are. They are not signed in yet: login steps may follow. */
export function proven({ provider, identity }: Arrival, user: any) {
  const { methods, mfa, remember, issuer, subject, sid } = identity
  /* For the session, so that the provider can end it. */
  const origin = { provider: provider.name, label: provider.label, issuer, subject, sid }
  return { kind: 'proven' as const, user, methods, mfa, remember, isNew: false, origin }
}
