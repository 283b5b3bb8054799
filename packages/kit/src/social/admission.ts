import type { HttpContext } from '@adonisjs/core/http'

import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { generateSecret } from '#security/secrets'
import type { ResolvedSocialConfig } from '#social/define_config'
import { type Identities, factsOf, markOf, ownerOf } from '#social/identities'
import { type LocalAccount, decideLinking } from '#social/linking'
import { type PendingIdentity, keepAddress, keepJoin } from '#social/pending_identity'
import type {
  AddressClaim,
  IdentityProvider,
  Refused,
  SocialIdentity,
  SocialOutcome,
  SocialServices,
} from '#social/types'

/** Milliseconds that an identity waits for the owner of an account. */
const JOIN_LIFETIME = 30 * 60 * 1000

const MINUTE = 60 * 1000

/** What becomes of somebody who has signed in at a provider, to sign in here. */
export class Admission {
  readonly #config: ResolvedSocialConfig
  readonly #services: SocialServices
  readonly #identities: Identities

  constructor(config: ResolvedSocialConfig, services: SocialServices, identities: Identities) {
    this.#config = config
    this.#services = services
    this.#identities = identities
  }

  /** Somebody whose identity belongs to an account: the address does not matter. */
  async recognise(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    known: SocialIdentity,
    pending: PendingIdentity,
    email: string | null
  ): Promise<SocialOutcome> {
    const user = await users.findActive(known.userId)
    if (!user || !this.#identities.opens(provider, known, user)) {
      const refused = refusal(provider, user ? 'in_use' : 'inactive')
      await this.#identities.recordRefusal(ctx, users, known.userId, refused)
      return refused
    }
    await this.#services.store.touch(known.id, email ?? known.email, Date.now())
    return proven(provider, user, pending)
  }

  /** Somebody whose identity nobody has yet: the rule for linking. */
  async admit(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    pending: PendingIdentity,
    word: { says: AddressClaim; isTrusted: boolean }
  ): Promise<SocialOutcome> {
    const account = await this.#config.accounts.find(pending.email)
    /* Account and identity are made at once: another browser of this person may have been faster. */
    const known = account && (await this.#identities.find(pending, users))
    if (known) {
      return this.recognise(ctx, users, provider, known, pending, pending.email)
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
    const { email, fullName } = pending
    const { accounts } = this.#config
    const password = await users.hasher.make(generateSecret())
    const user = await this.#services.store.insertWithAccount(factsOf(pending), async (client) => {
      const made = await accounts.create({ email, fullName, password }, client)
      return { user: made, owner: ownerOf(made, users), passwordMark: markOf(made, users) }
    })
    if (!user) {
      const known = await this.#identities.find(pending, users)
      return known
        ? this.recognise(ctx, users, provider, known, pending, email)
        : this.admit(ctx, users, provider, pending, { says: 'verified', isTrusted: true })
    }
    await recordSecurityEvent(ctx, user, 'registered', {}, users)
    return { ...proven(provider, user, pending), isNew: true }
  }

  /** The owner of the address arrives at an account that somebody prepared: nothing of before goes on, also not the password. */
  async #claim(
    ctx: HttpContext,
    users: Users,
    provider: IdentityProvider,
    pending: PendingIdentity,
    account: unknown
  ): Promise<SocialOutcome> {
    const id = users.identify(account)
    const user = await users.findActive(id)
    if (!user) {
      return refusal(provider, 'inactive')
    }
    if (this.#identities.isVerified(user)) {
      return this.#awaitOwner(ctx, users, provider, pending, user)
    }
    await this.#services.manager.accountAccess.firstArrival(user, users, ctx)
    /* Read once more: two sign-ins of the owner may arrive at once, and each ends what the other made. */
    const arrived = await users.findActive(id)
    if (!arrived || !this.#identities.isVerified(arrived)) {
      return refusal(provider, 'failed')
    }
    if (await this.#identities.insert(ctx, users, arrived, pending, markOf(arrived, users))) {
      return proven(provider, arrived, pending)
    }
    const known = await this.#identities.find(pending, users)
    return known
      ? this.recognise(ctx, users, provider, known, pending, pending.email)
      : refusal(provider, 'failed')
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

  #stateOf(account: unknown): LocalAccount {
    if (account === null) {
      return 'none'
    }
    return this.#identities.isVerified(account) ? 'verified' : 'unverified'
  }
}

function proven({ name, label }: IdentityProvider, user: unknown, pending: PendingIdentity) {
  const { methods, mfa, remember, issuer, subject, sid } = pending
  const origin = { provider: name, label, issuer, subject, sid }
  return { kind: 'proven' as const, user, methods, mfa, remember, isNew: false, origin }
}

function refusal({ label }: IdentityProvider, reason: Refused) {
  return { kind: 'refused' as const, purpose: 'sign_in' as const, reason, label }
}
