import type { HttpContext } from '@adonisjs/core/http'

import type { AccessKind } from '#auth/account_access'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { hashSecret } from '#security/secrets'
import type { ResolvedSocialConfig } from '#social/define_config'
import { isOfDomain } from '#social/domains'
import type { IdentityProvider } from '#social/providers/provider'
import type { NewIdentity, SocialIdentity, SocialServices } from '#social/types'

/** What is stored of an identity, whoever owns it. */
export type IdentityFacts = Pick<NewIdentity, 'name' | 'issuer' | 'subject' | 'email'>

export class Identities {
  constructor(
    protected readonly config: ResolvedSocialConfig,
    protected readonly services: SocialServices
  ) {}

  /** The provider with this name, of the settings or of an organisation; null when there is none, or not any more. */
  async provider(name: string): Promise<IdentityProvider | null> {
    const { organisations } = this.services
    return this.config.providers.get(name) ?? (await organisations?.find(name)) ?? null
  }

  async connected(user: unknown, users: Users): Promise<IdentityProvider[]> {
    const identities = await this.list(user, users)
    const names = new Set(identities.map(({ name }) => name))
    const found = await Promise.all([...names].map((name) => this.provider(name)))
    return found.filter((provider) => provider !== null)
  }

  /** An organisation chooses its client: its word counts for identities connected through it, and addresses of its domain. */
  opens({ name, domain }: IdentityProvider, known: SocialIdentity, user: unknown): boolean {
    return !domain || known.name === name || isOfDomain(this.config.accounts.address(user), domain)
  }

  /** Notes in the log of an account that a sign-in through a provider was refused. */
  async recordRefusal(
    ctx: HttpContext,
    users: Users,
    userId: string,
    { label: name, reason }: { label: string; reason: string }
  ): Promise<void> {
    const user = await users.find(userId)
    user && (await recordSecurityEvent(ctx, user, 'identity_refused', { name, reason }, users))
  }

  async find({ issuer, subject }: Pick<IdentityFacts, 'issuer' | 'subject'>, users: Users) {
    return this.services.store.find({ issuer, subject, provider: users.name })
  }

  /** The oldest first. */
  async list(user: unknown, users: Users): Promise<SocialIdentity[]> {
    return this.services.store.listFor(users.ownerOf(user))
  }

  /** Whether the user knows a password: an account that a provider made has one that nobody knows. */
  async hasPassword(user: unknown, users: Users): Promise<boolean> {
    const mark = markOf(user, users)
    const identities = await this.list(user, users)
    return mark === null || identities.every(({ passwordMark }) => passwordMark !== mark)
  }

  /** An account whose address nobody has verified may be somebody else's next week: it gets no identities. */
  isVerified(user: unknown, email = this.config.accounts.address(user)): boolean {
    const isSame = this.config.accounts.address(user) === email
    return isSame && (this.services.manager.feature('emailVerification')?.isVerified(user) ?? false)
  }

  /** Like `insert`, for somebody who is signed in. */
  async link(ctx: HttpContext, users: Users, user: unknown, identity: IdentityFacts) {
    const passwordMark = (await this.hasPassword(user, users)) ? null : markOf(user, users)
    const isLinked = await this.insert(ctx, users, user, identity, passwordMark)
    await ctx.authenticator.settle(async () => {
      const linked = isLinked && (await this.find(identity, users))
      await (linked &&
        this.services.store.delete(users.ownerOf(user), linked.id, { keepOne: null }))
    })
    return isLinked
  }

  /**
   * Gives a user an identity; false when somebody has it, or the account is deleted at this moment.
   * @param passwordMark of a password that nobody knows; null when the user knows theirs
   */
  async insert(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    identity: IdentityFacts,
    passwordMark: string | null
  ): Promise<boolean> {
    const facts = { ...factsOf(identity), ...users.ownerOf(user), passwordMark }
    if (!(await this.services.store.insert(facts))) {
      return false
    }
    /* Asked when the identity is there: a deletion of the account, or of the provider, ends what is there. */
    if (await this.isOrphan(identity, users)) {
      return false
    }
    const name = await this.#labelOf(identity)
    await recordSecurityEvent(ctx, user, 'identity_linked', { name }, users)
    return true
  }

  /** Whether the account or the provider of a new identity was removed meanwhile: then the identity goes, too. */
  async isOrphan(identity: IdentityFacts, users: Users): Promise<boolean> {
    const found = await this.find(identity, users)
    const user = found && (await users.find(found.userId))
    if (user && (await this.provider(identity.name))) {
      return false
    }
    found && (await this.services.store.delete(found, found.id, { keepOne: null }))
    return true
  }

  /** Takes an identity from a user. Who knows no password keeps one: it tells of the password, and no later step leaves them without a way in. */
  async unlink(ctx: HttpContext, user: unknown, users: Users, id: string) {
    const keepOne = await this.#waysIn(user, users)
    const unlinked = await this.services.store.delete(users.ownerOf(user), id, { keepOne })
    if (typeof unlinked === 'string') {
      return unlinked
    }
    const name = await this.#labelOf(unlinked)
    await recordSecurityEvent(ctx, user, 'identity_unlinked', { name }, users)
    return 'unlinked'
  }

  /** Identities as what acts for an account: each of them opens it. */
  get access(): AccessKind {
    return {
      name: 'identities',
      route: 'account.sign_in_methods.sign_in_methods.index',
      countOf: (user, users) => this.list(user, users).then(({ length }) => length),
      endAllOf: (user, users, keepsWayIn) => this.forget(user, users, keepsWayIn),
    }
  }

  /** @param keepsWayIn whether somebody without a password keeps the oldest that works */
  async forget(user: unknown, users: Users, keepsWayIn = false): Promise<number | void> {
    const { store } = this.services
    const owner = users.ownerOf(user)
    const keepOne = keepsWayIn ? await this.#waysIn(user, users) : null
    if (!keepOne) {
      return store.deleteAll(owner)
    }
    const own = await store.listFor(owner)
    for (const { id } of own.toReversed()) {
      await store.delete(owner, id, { keepOne })
    }
    return own.length - (await this.access.countOf(user, users))
  }

  /** Names of the providers that let somebody without a password in; null with a password. */
  async #waysIn(user: unknown, users: Users): Promise<string[] | null> {
    const usable = (await this.hasPassword(user, users)) ? null : await this.connected(user, users)
    return usable && usable.map(({ name }) => name)
  }

  async #labelOf({ name }: Pick<IdentityFacts, 'name'>): Promise<string> {
    const provider = await this.provider(name)
    return provider?.label ?? name
  }
}

export function factsOf<Facts extends IdentityFacts>({ name, issuer, subject, email }: Facts) {
  return { name, issuer, subject, email: email as Facts['email'] }
}

/** Short, and no hash of a password in a second table. */
export function markOf(user: unknown, users: Users): string | null {
  const stamp = users.passwordStamp(user)
  return stamp === null ? null : hashSecret(stamp)
}
