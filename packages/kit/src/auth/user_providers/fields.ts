import type { Hash } from '@adonisjs/core/hash'

import { hashSecret } from '#security/secrets'
import type { IsActive } from '#auth/user_providers/specs'
import type { Credentials } from '#auth/user_providers/user_provider'

export type PasswordHash = Pick<Hash, 'make' | 'verify' | 'needsReHash'>

/** The names of attributes and credentials that the built-in providers work with, defaults filled in. */
export interface ResolvedFields {
  username: string
  password: string
  passwordKey: string
  isActive: IsActive<any> | undefined
}

export function resolveFields(spec: {
  usernameField?: string
  passwordField?: string
  passwordKey?: string
  isActive?: IsActive<any>
}): ResolvedFields {
  const password = spec.passwordField ?? 'password'
  return {
    username: spec.usernameField ?? 'email',
    password,
    passwordKey: spec.passwordKey ?? password,
    isActive: spec.isActive,
  }
}

/** The username in the credentials; null if it is missing or empty. */
export function readUsername(credentials: Credentials, fields: ResolvedFields): string | null {
  const username = credentials[fields.username]
  return typeof username === 'string' && username !== '' ? username : null
}

export async function isActive(user: any, fields: ResolvedFields): Promise<boolean> {
  switch (typeof fields.isActive) {
    case 'undefined':
      return true
    case 'string':
      return Boolean(user[fields.isActive])
    default:
      return Boolean(await fields.isActive(user))
  }
}

/** A digest of the user's password hash. */
export function passwordStamp(user: any, fields: ResolvedFields): string {
  return hashSecret(String(user[fields.password]))
}

/** Whether the password in the credentials matches the user's hash. */
export async function verifyPassword(
  user: any,
  credentials: Credentials,
  fields: ResolvedFields,
  hasher: PasswordHash
): Promise<boolean> {
  return hasher.verify(String(user[fields.password]), String(credentials[fields.passwordKey]))
}
