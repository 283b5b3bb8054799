import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/** JSON:API 1.1, Member Names. A space inside is allowed, though not recommended. */
export const MEMBER_NAME =
  /^[a-zA-Z0-9\u0080-\u{10ffff}](?:[-_ a-zA-Z0-9\u0080-\u{10ffff}]*[a-zA-Z0-9\u0080-\u{10ffff}])?$/u

/**
 * Requires that a name may stand for an attribute or a relationship (JSON:API 1.1, Fields, Member
 * Names). The attribute `id` is the exception that resources make unless they hide it.
 *
 * @throws {InvalidArgumentsException} when the specification forbids the name
 */
export function assertFieldName(resourceClass: { name: string }, name: string) {
  if (name === 'type' || !MEMBER_NAME.test(name)) {
    throw new InvalidArgumentsException(
      `${resourceClass.name} cannot have a field "${name}", JSON:API forbids the name: ` +
        `list it in "hidden", or give it another: static renamed = { ${JSON.stringify(name)}: 'kind' }`
    )
  }
}
