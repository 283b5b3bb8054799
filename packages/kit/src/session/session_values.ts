import { ValuesStore, Session } from '@adonisjs/session'
import type { HttpContext } from '@adonisjs/core/http'
import lodash from '@poppinss/utils/lodash'
import '@adonisjs/session/session_middleware'
import type { AllowedSessionValues, SessionData } from '@adonisjs/session/types'

import { assertArgument } from '#config/checks'
import { isExpired } from '#database/records'
import { readIntendedUrl, writeIntendedUrl } from '#session/cookies'
import type { SessionService } from '#session/session_service'
import { declaredFields, isUnsafe, pickTyped } from '#session/typed_fields'

type Key = string | string[]

/** Session key of the form that is kept until its sender has signed in. */
export const KEPT_FORM = 'kept_form'

/** Milliseconds: a person needs a while to sign in. */
const KEPT_FOR = 30 * 60 * 1000

type Typed = Record<string, unknown>
/** The mark is null for a page of guests, whose form whoever signs in sees, and empty where nobody knows whose it was. */
type KeptForm = { path: string; mark: string | null; fields: Typed; expiresAt: number }

/** What separates the segments of a path: `a.b`, `a[b]`, `a["b"]`. */
const SEPARATORS = /[.[\]'"]+/

/** AdonisJS's values by dotted paths, without those to `Object.prototype`, whose values every object would have. */
export class SafeValues extends ValuesStore {
  override get(key: Key, defaultValue?: any): any {
    assertSafeKey(key)
    return super.get(key, defaultValue)
  }

  override set(key: Key, value: any): void {
    assertSafeKey(key)
    super.set(key, value)
  }

  override unset(key: Key): void {
    assertSafeKey(key)
    super.unset(key)
  }

  override merge(values: Record<string, any>): any {
    assertSafeKeys(values)
    return super.merge(values)
  }
}

/** @throws {InvalidArgumentsException} for a key with `__proto__`, `constructor` or `prototype` in its path */
function assertSafeKey(key: Key) {
  const segments = Array.isArray(key) ? key.map(String) : String(key).split(SEPARATORS)
  const unsafe = segments.find(isUnsafe)
  assertArgument(unsafe === undefined, `A session key cannot have "${unsafe}" in its path`)
}

/** @throws {InvalidArgumentsException} for an object that has such a key, at any depth */
export function assertSafeKeys(values: unknown): void {
  if (typeof values === 'object' && values !== null) {
    for (const [key, value] of Object.entries(values)) {
      assertSafeKey([key])
      assertSafeKeys(value)
    }
  }
}

/**
 * AdonisJS's session over values that have been read already. All methods that use its private store are overridden: it
 * is filled asynchronously, and takes keys that reach `Object.prototype`.
 */
export abstract class SessionValues extends Session {
  override responseFlashMessages = new SafeValues({})
  override flashMessages = new SafeValues({})
  #values = new SafeValues({})
  #intendedUrl: string | null
  protected isFormShown = false

  constructor(
    protected readonly ctx: HttpContext,
    protected readonly service: SessionService
  ) {
    super(ENGINE, () => NO_STORE, service.emitter, ctx)
    this.#intendedUrl = readIntendedUrl(ctx)
  }

  /** Takes the values of a session; its flash messages are for this request and are taken out. */
  protected load(values: Record<string, unknown>, csrfToken = ''): void {
    /* Every store keeps JSON, and for JSON this takes a fifth of the time of structuredClone. */
    this.#values = new SafeValues(JSON.parse(JSON.stringify(values)) as SessionData)
    if (this.has(this.flashKey)) {
      this.flashMessages.update(this.pull(this.flashKey, null))
    }
    this.#showForm(csrfToken.split('.'))
  }

  /** The kept input of the requested page's form is shown once, and that of a person to nobody else. */
  #showForm([, mark = '']: string[]) {
    const { request } = this.ctx
    const kept: KeptForm | null = this.get(KEPT_FORM, null)
    if (!kept || request.method() !== 'GET' || request.url() !== kept.path) {
      return
    }
    this.isFormShown = true
    if (!isExpired(kept.expiresAt) && [null, mark].includes(kept.mark)) {
      this.flashMessages.merge(kept.fields)
    }
  }

  /** The values are there before anybody can ask for them. */
  override async initiate(): Promise<void> {}

  override get initiated(): boolean {
    return true
  }

  override get readonly(): boolean {
    return false
  }

  override get isEmpty(): boolean {
    return this.#values.isEmpty
  }

  override get hasBeenModified(): boolean {
    return this.#values.hasBeenModified
  }

  override put(key: string, value: AllowedSessionValues): void {
    this.#values.set(key, value)
  }

  override has(key: string): boolean {
    return this.#values.has(key)
  }

  override get(key: string, defaultValue?: any): any {
    return this.#values.get(key, defaultValue)
  }

  override all(): any {
    return this.#values.all()
  }

  override forget(key: string): void {
    this.#values.unset(key)
  }

  override pull(key: string, defaultValue?: any): any {
    return this.#values.pull(key, defaultValue)
  }

  override increment(key: string, steps = 1): void {
    this.#values.increment(key, steps)
  }

  override decrement(key: string, steps = 1): void {
    this.#values.decrement(key, steps)
  }

  override clear(): void {
    this.#values.clear()
  }

  override flash(key: string, value: AllowedSessionValues): void
  override flash(keyValue: SessionData): void
  override flash(key: string | SessionData, value?: AllowedSessionValues): void {
    if (typeof key !== 'string') {
      assertSafeKeys(key)
      this.responseFlashMessages.merge(this.cleanupFlashData(key))
    } else if (value && this.shouldFlashValue(value)) {
      this.responseFlashMessages.set(key, value)
    }
  }

  /** Keeps what was typed into the fields that the validators of this request declare. */
  override flashAll(): void {
    this.flashOnly([...declaredFields(this.ctx)])
  }

  override flashExcept(keys: string[]): void {
    this.flashOnly([...declaredFields(this.ctx)].filter((field) => !keys.includes(field)))
  }

  /** Keeps what was typed into these fields; never secrets, and nothing over 1 KiB. */
  override flashOnly(keys: string[]): void {
    const typed = pickTyped(this.ctx.request.original(), keys)
    this.responseFlashMessages.set('input', this.cleanupFlashData(typed))
  }

  /** Keeps the input of a form, and a message, until its sender has signed in and returned; never secrets. */
  keepForm(path: string, message?: Record<string, string>): void {
    const input = this.ctx.request.original()
    const fields = { ...pickTyped(input, Object.keys(input)), ...message }
    const { csrfField, csrfHeader } = this.service.config
    /* A script takes the cookie's token when it sends: after a sign-out that is a guest's, and does not tell whose page it was. */
    const isField = typeof input[csrfField] === 'string'
    const token: string = isField ? input[csrfField] : this.ctx.request.header(csrfHeader, '')
    const [, mark = isField ? null : ''] = token.split('.')
    this.put(KEPT_FORM, { path, mark, fields, expiresAt: Date.now() + KEPT_FOR } satisfies KeptForm)
  }

  /** Keeps it on where its page is not shown, because its sender has to sign in first, or to choose a workspace. */
  keepFormLonger(): void {
    this.isFormShown = false
  }

  override reflash(): void {
    this.responseFlashMessages.set('reflashed', this.flashMessages.all())
  }

  override reflashOnly(keys: string[]): void {
    this.responseFlashMessages.set('reflashed', lodash.pick(this.flashMessages.all(), keys))
  }

  override reflashExcept(keys: string[]): void {
    this.responseFlashMessages.set('reflashed', lodash.omit(this.flashMessages.all(), keys))
  }

  override setIntendedUrl(url: string): void {
    if (writeIntendedUrl(this.ctx, this.service.config, url)) {
      this.#intendedUrl = url
    }
  }

  override getIntendedUrl(): string | null {
    return this.#intendedUrl
  }

  override pullIntendedUrl(): string | null {
    const url = this.#intendedUrl
    this.clearIntendedUrl()
    return url
  }

  override clearIntendedUrl(): void {
    if (this.#intendedUrl !== null) {
      this.#intendedUrl = null
      writeIntendedUrl(this.ctx, this.service.config, null)
    }
  }
}

/** Without a cookie name, the base class does not verify the signature again. */
const ENGINE = { enabled: true, cookieName: '', age: 0, cookie: {} }

/** The base class gets a store that it never uses. */
const NO_STORE = { read: () => null, write() {}, destroy() {}, touch() {} }
