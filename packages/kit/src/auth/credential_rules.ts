import { readFileSync } from 'node:fs'

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

import { PASSWORD_MAX_LENGTH, countCharacters } from '#auth/users'

/** Of the list of the package `@zxcvbn-ts/language-common` 4.1.3 (MIT License). */
const FILE = new URL('../../resources/common_passwords.txt', import.meta.url)
/** The most used passwords of eight characters and more, the most used first. */
export const COMMON_PASSWORDS = new Set(readFileSync(FILE, 'utf8').trim().split(/\s+/))
/** Minimum length of a personal part: shorter ones occur in too many words. */
const MIN_PART = 3
/** Minimum number of letters that remain without the personal parts. */
const MIN_REST = 4

export function weaknessOf(password: string, personal: readonly string[]) {
  const text = password.toLowerCase()
  return isCommon(text) ? 'commonPassword' : isPersonal(text, personal) ? 'personalPassword' : null
}

/** One of the most used passwords, also with digits and signs around it. */
function isCommon(text: string): boolean {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return COMMON_PASSWORDS.has(text) || COMMON_PASSWORDS.has(core)
}

/** Made of parts of a name or an address, and of little else (NIST SP 800-63B §3.1.1.2). */
function isPersonal(text: string, personal: readonly string[]): boolean {
  const parts = personal
    .flatMap((value) => value.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((part) => part.length >= MIN_PART)
    .sort((one, other) => other.length - one.length)
  const rest = parts.reduce((left, part) => left.replaceAll(part, ' '), text)
  const letters = rest.replace(/[^\p{L}]/gu, '').length
  return rest !== text && letters < MIN_REST
}

/**
 * Every character can be seen, and those of a domain are as name servers have them (UTS #46, §5): with ⓒ for c, or a soft
 * hyphen, one mailbox would have any number of spellings, each with an account and limits of its own.
 */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Z}\p{DI}\u2800]*@(?:[ßς]|[^\p{CWKCF}\u3002])*$/u

/** A quoted name (RFC 5322 §3.2.4) is another spelling of the same mailbox. Browsers refuse it, too. */
const UNQUOTED = { blacklisted_chars: '"' }

/** An e-mail address in lower case, because accounts are looked up by it. */
export const email = () =>
  vine.string().trim().toLowerCase().maxLength(254).email(UNQUOTED).regex(PLAIN)

/** Vine's own rules count UTF-16 code units; an emoji has two. */
const passwordLength = vine.createRule((value, _, field) => {
  const length = countCharacters(value as string)
  const [min, max] = [8, PASSWORD_MAX_LENGTH]
  if (length < min) {
    const message = 'The {{ field }} field must have at least {{ min }} characters'
    field.report(message, 'minLength', field, { min })
  }
  if (length > max) {
    const message = 'The {{ field }} field must not be greater than {{ max }} characters'
    field.report(message, 'maxLength', field, { max })
  }
})

/** Refuses the most used passwords, those made of personal texts, and those that are public. */
const passwordStrength = vine.createRule(async (value, _, field) => {
  const text = value as string
  const weakness =
    field.isValid && (weaknessOf(text, personalTexts(field)) ?? (await breachOf(text)))
  if (weakness) {
    field.report(REASONS[weakness], weakness, field)
  }
})

const REASONS = {
  commonPassword: 'This is one of the most used passwords',
  personalPassword:
    'This password is made of your name, your address or the name of this application',
  breachedPassword: 'This password has been made public by a data breach',
}

/** The person's address and names, the validator's metadata `person`, and the application's name. */
function personalTexts({ data, meta }: FieldContext): string[] {
  const { email: address, fullName, full_name: name } = data ?? {}
  const texts = [address, fullName, name, app.config.get('app.appName')]
  return texts.concat(Object.values(meta.person ?? {})).filter((text) => typeof text === 'string')
}

/** If the service fails, the password is accepted. */
async function breachOf(text: string): Promise<'breachedPassword' | null> {
  const { config } = await app.container.make('auth_manager')
  try {
    return (await config.isBreachedPassword?.(text)) ? 'breachedPassword' : null
  } catch (error) {
    logger.error({ err: error }, 'Cannot ask whether a password is public')
    return null
  }
}

/** A password exactly as typed: nothing is trimmed. */
export const password = () => vine.string().use(passwordLength()).use(passwordStrength())

/** Ten years, in seconds. */
const MAX_TTL = 10 * 365 * 24 * 60 * 60
const NO_CONTROL = /^[^\p{Cc}]*$/u

export const tokenName = () => vine.string().trim().minLength(1).maxLength(255).regex(NO_CONTROL)

/** Seconds that a token works. */
export const tokenLifetime = () => vine.number().withoutDecimals().positive().max(MAX_TTL)

const known = vine.createRule((value, { list }: { list: string }, field) => {
  if (!field.meta[list].includes(value)) {
    field.report('There is no permission "{{ name }}"', 'permission', field, { name: value })
  }
})

/** Names of permissions. @param list the validator's metadata with those that there are */
export const permissions = (list: string) =>
  vine
    .array(vine.string().use(known({ list })))
    .minLength(1)
    .distinct()
