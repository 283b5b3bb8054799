import { setImmediate } from 'node:timers/promises'

import { safeEqual } from '@adonisjs/core/helpers'
import type { Logger } from '@adonisjs/core/logger'
import type { EmitterService } from '@adonisjs/core/types'

import { isExpired } from '#database/records'
import { generateSecret, hashSecret } from '#security/secrets'
import type { AccessKind } from '#auth/account_access'
import { AccessDenied } from '#auth/errors'
import { badToken } from '#auth/outcome'
import { type CredentialContexts, settleContext } from '#auth/credential_contexts'
import type { Owner, UserId, Users } from '#auth/users'
import type { ResolvedApiTokenConfig } from '#api_token/define_config'
import {
  type ApiTokenDetails,
  type ApiTokenRepository,
  type StoredToken,
  type NewApiTokenOptions,
  NewApiToken,
  describeToken,
  parsePlainText,
  readOptions,
} from '#api_token/token'
import { assertArgument } from '#config/checks'
import { assertOr } from '#process/assert_or'

declare module '@adonisjs/core/types' {
  interface EventsList {
    'api_token:created': { token: ApiTokenDetails }
    /** Once for every revoked token. */
    'api_token:revoked': { token: ApiTokenDetails }
  }
}

/** `lastUsedAt` is written at most this often (milliseconds). */
const USE_PRECISION = 60_000

/** The rules of API tokens over any repository: expired tokens are treated as absent. */
export class ApiTokenService {
  readonly #recordings = new Map<string, Promise<void>>()
  contexts: () => CredentialContexts | undefined = () => undefined

  constructor(
    readonly config: ResolvedApiTokenConfig,
    readonly repository: ApiTokenRepository,
    readonly emitter: EmitterService,
    readonly logger: Logger
  ) {}

  /** @throws {InvalidArgumentsException | AccessDenied} when there is no such user, or an option is not usable; when the context is not theirs */
  async create(users: Users, userOrId: unknown, options: NewApiTokenOptions = {}) {
    const { expiresAt, ...chosen } = readOptions(options)
    assertArgument((userOrId ?? null) !== null, 'An API token needs a user or the id of a user')
    const user = await users.resolve(userOrId)
    assertArgument(user, `The user provider "${users.name}" has no such user`)

    const now = Date.now()
    const secret = generateSecret()
    const token: Omit<StoredToken, 'id'> = {
      ...users.ownerOf(user),
      ...chosen,
      hash: hashSecret(secret),
      lastUsedAt: null,
      expiresAt: expiresAt ?? (this.config.ttl === null ? null : now + this.config.ttl * 1000),
      createdAt: now,
    }
    const id = await this.repository.create(token)
    const end = () => this.repository.delete(id)
    const isSettled = await settleContext(this.contexts(), token, token.context, end)
    assertOr(isSettled, AccessDenied, 'The user may not have a token with this context')

    const details = describeToken({ ...token, id })
    void this.emitter.emit('api_token:created', { token: details })
    return new NewApiToken(details, `${id}|${secret}`)
  }

  /** `contextName` is what the context of a token is called; null where there is nothing to choose. */
  async list<User>(users: Users<User>, userOrId: User | UserId) {
    const owner = await ownerOf(users, userOrId)
    const tokens = await this.repository.listFor(owner.userId, owner.provider, Date.now())
    const nameOf = (await this.contexts()?.names(owner)) ?? (() => null)
    return tokens.map((token) => ({ ...describeToken(token), contextName: nameOf(token.context) }))
  }

  async revoke(id: string | number): Promise<boolean> {
    const token = await this.repository.delete(String(id))
    this.#announce(token ? [token] : [])
    return Boolean(token)
  }

  async revokeAll<User>(users: Users<User>, userOrId: User | UserId): Promise<number> {
    const { userId, provider } = await ownerOf(users, userOrId)
    const tokens = await this.repository.deleteFor(userId, provider)
    this.#announce(tokens)
    return tokens.length
  }

  get access(): AccessKind {
    return {
      name: 'api_tokens',
      route: 'account.tokens',
      countOf: (user, users) => this.list(users, user).then(({ length }) => length),
      endAllOf: (user, users) => this.revokeAll(users, user),
    }
  }

  /** The live token and its active owner, or a refusal. A token without an owner is deleted. */
  async verify<User>(plainText: string, users: Users<User>) {
    const parsed = parsePlainText(plainText)
    if (!parsed) {
      return badToken('API token malformed')
    }
    const hash = hashSecret(parsed.secret)
    const found = await this.repository.find(parsed.id, users)
    if (!found) {
      return badToken('API token unknown')
    }
    const { token } = found
    if (!safeEqual(token.hash, hash)) {
      return badToken('secret of the API token wrong')
    }
    if (token.provider !== users.name) {
      return badToken('API token of a user of another user provider')
    }
    const now = Date.now()
    if (isExpired(token.expiresAt, now)) {
      return badToken('API token expired')
    }

    const user = found.user === undefined ? await users.find(token.userId) : (found.user as User)
    if (!user) {
      await this.repository.delete(token.id)
      return badToken('owner of the API token gone')
    }
    if (!(await users.isActive(user))) {
      return badToken('owner of the API token inactive')
    }

    this.#recordUse(token, now)
    return { token, user }
  }

  async purge(): Promise<number> {
    return this.repository.purge(Date.now())
  }

  /** Resolves when every use so far has been recorded. */
  async settled(): Promise<void> {
    await Promise.all(this.#recordings.values())
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

  #announce(revoked: StoredToken[]) {
    for (const token of revoked) {
      void this.emitter.emit('api_token:revoked', { token: describeToken(token) })
    }
  }
}

/** Tokens carry ids as the provider spells them: `01` may find the user `1`, and a UUID is found in capitals. */
async function ownerOf<User>(users: Users<User>, userOrId: User | UserId): Promise<Owner> {
  const user = await users.resolve(userOrId)
  return user ? users.ownerOf(user) : { userId: String(userOrId), provider: users.name }
}
