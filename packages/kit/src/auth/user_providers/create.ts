import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type {
  UserProviderSpec,
  UserProvider,
  PasswordHash,
} from '#auth/user_providers/user_provider'
import { LucidUserProvider } from '#auth/user_providers/lucid'
import { MemoryUserProvider } from '#auth/user_providers/memory'
import { assertArgument } from '#config/checks'

const METHODS = [
  'retrieveById',
  'retrieveByCredentials',
  'validateCredentials',
  'getIdentifier',
  'updatePassword',
] as const

function assertProvider(name: string, provider: unknown): UserProvider {
  const missing = METHODS.filter((method) => typeof (provider as any)?.[method] !== 'function')
  assertArgument(
    !missing.length,
    `The user provider "${name}" is not usable: it has no ${missing.join(', ')}`
  )
  return provider as UserProvider
}

/** @throws {InvalidArgumentsException} for an unknown driver, or an object that lacks a method */
export async function createUserProvider(
  name: string,
  spec: UserProviderSpec,
  hasher: PasswordHash
): Promise<UserProvider> {
  switch (spec.driver) {
    case 'lucid':
    case 'orm':
    case 'model':
    case 'async_model':
      assertArgument(spec.model, `The user provider "${name}" has no "model"`)
      return new LucidUserProvider(spec, hasher)
    case 'memory':
      return new MemoryUserProvider(spec, hasher)
    case 'instance':
      return assertProvider(name, spec.instance)
    case 'factory':
      return assertProvider(name, await spec.factory?.())
    default:
      throw new InvalidArgumentsException(
        `The user provider "${name}" has the unknown driver "${(spec as { driver: unknown }).driver}". ` +
          `Use "lucid", "memory", "instance" or "factory"`
      )
  }
}
