import type { HttpRequest } from '@adonisjs/core/http'

import { InvalidGrant, InvalidRequest, InvalidTarget, UnknownAuthorization } from '#auth/errors'
import { assertOr } from '#process/assert_or'
import { isObject } from '#process/objects'

/** Longer than any code, token, URI or list of scopes that has a use. */
export const MAX_LENGTH = 8192

/** The parameters that are judged, and that messages may name: other names are the caller's input. */
const KNOWN = [
  ...['approved', 'assertion', 'client_assertion', 'client_assertion_type', 'client_id'],
  ...['client_secret', 'code', 'code_challenge', 'code_challenge_method', 'code_verifier'],
  ...['device_code', 'dpop_jkt', 'grant_type', 'id_token_hint', 'max_age', 'nonce', 'password'],
  ...['prompt', 'redirect_uri', 'refresh_token', 'request', 'request_uri', 'resource'],
  ...['response_mode', 'response_type', 'scope', 'state', 'token', 'token_type_hint'],
  ...['user_code', 'username'],
]

/** The client, where its answers go, and what comes back with each (RFC 6749 §4.1.2.1). */
const ERROR_TARGET = ['client_id', 'redirect_uri', 'state']

/** What a text decoder leaves behind in place of invalid UTF-8. */
const REPLACEMENT = '\ufffd'

/**
 * The parameters of an OAuth request, from the raw text: a body parser makes lists of brackets and
 * keeps one of two values. Each is there once or not at all; empty is absent (RFC 6749 §3.1, §3.2).
 */
export class Parameters {
  private constructor(protected readonly values: Map<string, string>) {}

  /** @throws {InvalidRequest} when the body is not a well-formed `application/x-www-form-urlencoded` */
  static fromForm(request: HttpRequest): Parameters {
    const empty = !request.hasBody() || request.header('content-length') === '0'
    const isForm = empty || isUtf8(request, 'application/x-www-form-urlencoded')
    assertRequest(isForm, 'The request body must be application/x-www-form-urlencoded.')
    return new Parameters(parseForm(request.raw() ?? ''))
  }

  /** @throws {InvalidRequest} when the query string is not well-formed */
  static fromQuery(request: HttpRequest): Parameters {
    return new Parameters(parseForm(queryOf(request)))
  }

  /** Those that tell where an error about the query goes, if they are there once. @throws {InvalidRequest} */
  static ofErrorTarget(request: HttpRequest): Parameters {
    const query = new URLSearchParams(queryOf(request))
    /* Two are wrong ones, not none: the client's only one would stand for none. */
    const isOne = query.getAll('redirect_uri').length < 2
    assertRequest(isOne, `${subject('redirect_uri')} is given more than once.`)
    const single = ERROR_TARGET.filter((name) => query.getAll(name).length === 1)
    return Parameters.fromJson(Object.fromEntries(single.map((name) => [name, query.get(name)])))
  }

  /** The members of a JSON object; those that are judged must be texts. @throws {InvalidRequest} */
  static fromJson(object: Record<string, unknown>): Parameters {
    const values = new Map<string, string>()
    for (const [name, value] of Object.entries(object)) {
      if (typeof value === 'string') {
        assertText(name, 'A parameter name')
        assertText(value, subject(name))
        values.set(name, value)
      } else if (value !== null && KNOWN.includes(name)) {
        /* Others are ignored: they are not recognized (RFC 6749 §3.1). */
        throw name === 'resource' && Array.isArray(value)
          ? new InvalidTarget('Only one resource may be requested.')
          : new InvalidRequest(`${subject(name)} must be a text.`)
      }
    }
    return new Parameters(values)
  }

  /** The value, or null when it is absent or empty. */
  get(name: string): string | null {
    return this.values.get(name) || null
  }

  pick(names: readonly string[]): Record<string, string> {
    const sent = names.map((name) => [name, this.get(name)])
    return Object.fromEntries(sent.filter(([, value]) => value !== null))
  }

  /** @throws {InvalidRequest} when it is absent or empty */
  require(name: string): string {
    const value = this.get(name)
    assertRequest(value, `The parameter ${name} is missing.`)
    return value
  }
}

/** @throws {InvalidRequest} with the description, unless the condition holds */
export function assertRequest(isRight: unknown, description: string): asserts isRight {
  assertOr(isRight, InvalidRequest, description)
}

export type AssertGrant = (isRight: unknown, reason: string) => asserts isRight

/** Refuses in the same words for every reason: a caller cannot find out what exists. */
export function grantAssertion(description: string): AssertGrant {
  return (isRight, reason) => assertOr(isRight, InvalidGrant, description, { reason })
}

/** @throws {UnknownAuthorization} unless the request still waits for this person's decision */
export function assertWaits(
  isWaiting: unknown,
  reason = 'decided by another request'
): asserts isWaiting {
  assertOr(isWaiting, UnknownAuthorization, undefined, { reason })
}

/** The JSON object of a request's body. @throws {InvalidRequest} when there is none */
export function readJsonObject(request: HttpRequest): Record<string, unknown> {
  assertRequest(isUtf8(request, 'application/json'), 'The request body must be application/json.')
  let body: unknown
  try {
    body = JSON.parse(request.raw() ?? '')
  } catch {
    throw new InvalidRequest('The request body is not valid JSON.')
  }
  assertRequest(isObject(body), 'The request body must be a JSON object.')
  return body
}

/** Whether the body is of this type, in the one encoding that both types have. */
function isUtf8(request: HttpRequest, type: string): boolean {
  const header = request.header('content-type') ?? ''
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(header) ?? []
  const isType = header === type || request.is([type]) !== null
  return isType && /^utf-?8$/i.test(charset)
}

const queryOf = ({ request }: HttpRequest): string => request.url!.split('?').slice(1).join('?')

function parseForm(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const pair of text.split('&').filter(Boolean)) {
    const [encoded, ...rest] = pair.split('=')
    const name = decode(encoded!, 'A parameter name')
    const value = decode(rest.join('='), subject(name))
    assertRequest(!/[[\]]/.test(name), 'A parameter name has brackets.')
    if (values.has(name)) {
      throw name === 'resource'
        ? new InvalidTarget('Only one resource may be requested.')
        : new InvalidRequest(`${subject(name)} is given more than once.`)
    }
    values.set(name, value)
  }
  return values
}

/** @throws {InvalidRequest} for what is not form-urlencoded UTF-8 text */
function decode(text: string, what: string): string {
  const decoded = formUrlDecode(text)
  assertRequest(decoded !== null, `${what} is not form-urlencoded UTF-8.`)
  assertText(decoded, what)
  return decoded
}

/** The parameter at the beginning of a message. */
const subject = (name: string) => (KNOWN.includes(name) ? `The parameter ${name}` : 'A parameter')

/** Undoes `application/x-www-form-urlencoded`; null when it is malformed. */
export function formUrlDecode(text: string): string | null {
  try {
    const spaced = text.replaceAll('+', ' ')
    return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
  } catch {
    return null
  }
}

/** @throws {InvalidRequest} for a text that is too long, or that is not valid Unicode */
function assertText(text: string, what: string) {
  assertRequest(text.length <= MAX_LENGTH, `${what} is too long.`)
  const isText = !text.includes('\0') && !text.includes(REPLACEMENT) && text.isWellFormed()
  assertRequest(isText, `${what} has characters that are not text.`)
}
