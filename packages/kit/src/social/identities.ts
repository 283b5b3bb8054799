import type { HttpContext } from '@adonisjs/core/http'

import type {} from '#auth/email_verification'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { hashSecret } from '#security/secrets'
import type { ResolvedSocialConfig } from '#social/define_config'
import type { NewIdentity, Owner, SocialIdentity, SocialServices } from '#social/types'

/** What is stored of an identity, whoever owns it. */
export type IdentityFacts = Pick<NewIdentity, 'name' | 'issuer' | 'subject' | 'email'>

/** The identities of users. */
export class Identities {
  readonly #config: ResolvedSocialConfig
  readonly #services: SocialServices

  constructor(config: ResolvedSocialConfig, services: SocialServices) {
    this.#config = config
    this.#services = services
  }

  /** The identity, if somebody has it. */
  async find({ issuer, subject }: Pick<IdentityFacts, 'issuer' | 'subject'>, users: Users) {
    return this.#services.store.find({ issuer, subject, provider: users.name })
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

  /** An account whose address nobody has verified may be somebody else's next week: it gets no identities. */
  isVerified(user: unknown): boolean {
    return this.#services.manager.feature('emailVerification')?.isVerified(user) ?? false
  }

  /** Gives a user an identity; false when somebody has it. */
  async link(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    identity: IdentityFacts
  ): Promise<boolean> {
    const passwordMark = (await this.hasPassword(user, users)) ? null : markOf(user, users)
    return this.insert(ctx, users, user, identity, passwordMark)
  }

  /** @param passwordMark of a password that nobody knows; null when the user knows theirs */
  async insert(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    identity: IdentityFacts,
    passwordMark: string | null
  ): Promise<boolean> {
    const isLinked = await this.#services.store.insert({
      ...factsOf(identity),
      ...ownerOf(user, users),
      passwordMark,
    })
    if (isLinked) {
      const name = this.#config.providers.get(identity.name)!.label
      await recordSecurityEvent(ctx, user, 'identity_linked', { name }, users)
    }
    return isLinked
  }

  /** @param hasOtherWay whether the user can sign in without any identity */
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
}

export function factsOf<Facts extends IdentityFacts>({ name, issuer, subject, email }: Facts) {
  return { name, issuer, subject, email: email as Facts['email'] }
}

export function ownerOf(user: unknown, users: Users): Owner {
  return { userId: users.identify(user), provider: users.name }
}

/** Short, and no hash of a password in a second table. */
export function markOf(user: unknown, users: Users): string | null {
  const stamp = users.passwordStamp(user)
  return stamp === null ? null : hashSecret(stamp)
}
