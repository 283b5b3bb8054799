import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/**
 * Checks that a class sets a static text. JavaScript gives every class a read-only `name`: that one
 * does not count.
 *
 * @throws {InvalidArgumentsException} that names the class and the member
 */
export function requireText(Class: object, member: string, kind: string) {
  const { value, writable, get } = findDescriptor(Class, member) ?? {}
  const text = get ? Reflect.get(Class, member) : writable ? value : undefined
  if (typeof text !== 'string' || text === '') {
    throw new InvalidArgumentsException(
      `The ${kind} class ${String(Object.getOwnPropertyDescriptor(Class, 'name')?.value)} needs a static "${member}"`
    )
  }
}

function findDescriptor(Class: object | null, member: string): PropertyDescriptor | undefined {
  return Class
    ? (Object.getOwnPropertyDescriptor(Class, member) ??
        findDescriptor(Object.getPrototypeOf(Class), member))
    : undefined
}
