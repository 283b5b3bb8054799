import { setImmediate } from 'node:timers/promises'

import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { safeEqual } from '@adonisjs/core/helpers'
import type { Logger } from '@adonisjs/core/logger'
import type { EmitterService } from '@adonisjs/core/types'
import { DateTime } from 'luxon'

import { type KeysOf, assertKnownKeys } from '#config/checks'
import { isExpired } from '#database/expiry'
import { generateSecret, hashSecret } from '#security/secrets'
import { isStorable } from '#database/storable_text'
import type { AccessKind } from '#auth/account_access'
import { type Refusal, badToken } from '#auth/refusal'
import {
  type CredentialContext,
  type CredentialContexts,
  settleContext,
} from '#auth/credential_contexts'
import type { UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import type { ResolvedApiTokenConfig } from '#api_token/define_config'
import {
  type ApiTokenDetails,
  type ListedApiToken,
  NewApiToken,
  describeToken,
  parsePlainText,
} from '#api_token/token'
import type { ApiTokenRepository, StoredToken } from '#api_token/types'

declare module '#auth/features' {
  interface AuthFeatures {
    apiTokens: ApiTokenService
  }
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    'api_token:created': { token: ApiTokenDetails }
    /** Once for every revoked token. */
    'api_token:revoked': { token: ApiTokenDetails }
  }
}

/** `lastUsedAt` is written at most this often (milliseconds). */
const USE_PRECISION = 60_000

const NAME_MAX_LENGTH = 255

const MALFORMED = badToken('API token malformed')
const UNKNOWN_ID = badToken('API token unknown')
const WRONG_SECRET = badToken('secret of the API token wrong')
const OTHER_PROVIDER = badToken('API token of a user of another user provider')
const EXPIRED = badToken('API token expired')
const OWNER_GONE = badToken('owner of the API token gone')
const OWNER_INACTIVE = badToken('owner of the API token inactive')

export interface NewApiTokenOptions {
  /** The owner's name for the token; up to 255 characters. */
  name?: string | null
  /** What the token may do. Null or an empty list means everything (`*`). */
  abilities?: string[] | null
  /** Expiry. Default: `ttl` seconds from now, or never when `ttl` is not set. */
  expiresAt?: Date | DateTime | null
  /** What the token is bound to, for good. Default: nothing. */
  context?: CredentialContext | null
}

const OPTIONS: KeysOf<NewApiTokenOptions> = {
  name: true,
  abilities: true,
  expiresAt: true,
  context: true,
}

/** The rules of API tokens over any repository: only hashes are kept, and expired tokens are treated as absent. */
export class ApiTokenService {
  readonly #recordings = new Map<string, Promise<void>>()

  /** What tokens can be bound to; set by the provider. */
  contexts: () => CredentialContexts | undefined = () => undefined

  constructor(
    readonly config: ResolvedApiTokenConfig,
    readonly repository: ApiTokenRepository,
    readonly emitter: EmitterService,
    readonly logger: Logger
  ) {}

  /**
   * Creates a token for a user.
   *
   * @throws {InvalidArgumentsException} when there is no such user, or an option is not usable
   */
  async create<User>(
    users: Users<User>,
    userOrId: User | UserId,
    options: NewApiTokenOptions = {}
  ): Promise<NewApiToken> {
    assertKnownKeys('An API token', options, OPTIONS)
    if (userOrId === null || userOrId === undefined) {
      throw new InvalidArgumentsException('An API token needs a user or the id of a user')
    }
    if (isId(userOrId) && !(await users.find(userOrId))) {
      throw new InvalidArgumentsException(`The user provider "${users.name}" has no such user`)
    }

    const now = Date.now()
    const secret = generateSecret()
    const token: Omit<StoredToken, 'id'> = {
      userId: identify(users, userOrId),
      provider: users.name,
      name: checkName(options.name ?? null),
      hash: hashSecret(secret),
      abilities: checkAbilities(options.abilities ?? []),
      context: options.context ?? null,
      lastUsedAt: null,
      expiresAt: this.#expiry(options.expiresAt ?? null, now),
      createdAt: now,
    }
    const id = await this.repository.create(token)
    const end = () => this.repository.delete(id)
    if (!(await settleContext(this.contexts(), token, token.context, end))) {
      throw new InvalidArgumentsException('The user may not have a token with this context')
    }

    const details = describeToken({ ...token, id })
    void this.emitter.emit('api_token:created', { token: details })
    return new NewApiToken(details, `${id}|${secret}`)
  }

  /** The user's tokens that have not expired, the oldest first. */
  async list<User>(users: Users<User>, userOrId: User | UserId): Promise<ListedApiToken[]> {
    const owner = { userId: identify(users, userOrId), provider: users.name }
    const tokens = await this.repository.listFor(owner.userId, owner.provider, Date.now())
    const nameOf = await this.contexts()?.names(owner)
    return tokens.map((token) => ({
      ...describeToken(token),
      contextName: nameOf?.(token.context) ?? null,
    }))
  }

  /** Revokes a token, whoever owns it; false when it does not exist. */
  async revoke(id: string | number): Promise<boolean> {
    const token = await this.repository.delete(String(id))
    if (token) {
      this.#announceRevocation(token)
    }
    return Boolean(token)
  }

  /** Revokes all of the user's tokens and returns how many there were. */
  async revokeAll<User>(users: Users<User>, userOrId: User | UserId): Promise<number> {
    const tokens = await this.repository.deleteFor(identify(users, userOrId), users.name)
    tokens.forEach((token) => this.#announceRevocation(token))
    return tokens.length
  }

  /** API tokens as what acts for an account. */
  get access(): AccessKind {
    return {
      name: 'api_tokens',
      path: '/account/tokens',
      countOf: async (user, users) => {
        const tokens = await this.list(users, user)
        return tokens.length
      },
      endAllOf: async (user, users) => void (await this.revokeAll(users, user)),
    }
  }

  /**
   * The live token with this plain text, and its active owner; otherwise a
   * refusal, whose reason is for operators only. A token whose owner no longer
   * exists is deleted.
   */
  async verify<User>(
    plainText: string,
    users: Users<User>
  ): Promise<{ token: StoredToken; user: User } | Refusal> {
    const parsed = parsePlainText(plainText)
    if (!parsed) {
      return MALFORMED
    }
    const hash = hashSecret(parsed.secret)
    const found = await this.repository.find(parsed.id, users)
    if (!found) {
      return UNKNOWN_ID
    }
    const { token } = found
    if (!safeEqual(token.hash, hash)) {
      return WRONG_SECRET
    }
    if (token.provider !== users.name) {
      return OTHER_PROVIDER
    }
    const now = Date.now()
    if (isExpired(token.expiresAt, now)) {
      return EXPIRED
    }

    const user =
      found.user === undefined ? await users.find(token.userId) : (found.user as User | null)
    if (!user) {
      await this.repository.delete(token.id)
      return OWNER_GONE
    }
    if (!(await users.isActive(user))) {
      return OWNER_INACTIVE
    }

    this.#recordUse(token, now)
    return { token, user }
  }

  /** Deletes expired tokens and returns how many there were. */
  async purge(): Promise<number> {
    return this.repository.purge(Date.now())
  }

  /** Resolves when every use so far has been recorded. */
  async settled(): Promise<void> {
    await Promise.all(this.#recordings.values())
  }

  #expiry(expiresAt: Date | DateTime | null, now: number): number | null {
    if (expiresAt === null) {
      return this.config.ttl === null ? null : now + this.config.ttl * 1000
    }
    const instant =
      expiresAt instanceof Date || DateTime.isDateTime(expiresAt) ? expiresAt.valueOf() : Number.NaN
    if (Number.isNaN(instant)) {
      throw new InvalidArgumentsException('"expiresAt" of an API token must be a valid date')
    }
    return instant
  }

  /** Runs in the background: the request neither waits for the write nor fails with it. */
  #recordUse(token: StoredToken, now: number) {
    const before = now - USE_PRECISION
    if ((token.lastUsedAt ?? -Infinity) > before || this.#recordings.has(token.id)) {
      return
    }
    const recording = setImmediate()
      .then(() => this.repository.recordUse(token.id, now, before))
      .catch((error) => this.logger.error({ err: error }, 'Cannot record the use of an API token'))
      .finally(() => this.#recordings.delete(token.id))
    this.#recordings.set(token.id, recording)
  }

  #announceRevocation(token: StoredToken) {
    void this.emitter.emit('api_token:revoked', { token: describeToken(token) })
  }
}

function isId(userOrId: unknown): userOrId is UserId {
  return typeof userOrId === 'string' || typeof userOrId === 'number'
}

function identify<User>(users: Users<User>, userOrId: User | UserId): string {
  return isId(userOrId) ? String(userOrId) : users.identify(userOrId as User)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorable(value)
}

function checkName(name: unknown): string | null {
  if (name !== null && (!isText(name) || name.length > NAME_MAX_LENGTH)) {
    throw new InvalidArgumentsException(
      `"name" of an API token must be a text of up to ${NAME_MAX_LENGTH} characters`
    )
  }
  return name
}

function checkAbilities(abilities: unknown): string[] {
  if (!Array.isArray(abilities) || !abilities.every((ability) => isText(ability) && ability)) {
    throw new InvalidArgumentsException('"abilities" of an API token must be a list of names')
  }
  return abilities.length ? [...new Set<string>(abilities)] : ['*']
}
