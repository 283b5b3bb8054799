/** Whether a value is an object with members, as JSON has them: no list, and not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** For members of what may be no object: it has none then. */
export const objectOr = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** A member of an object itself; undefined for one that is inherited. */
export function ownMember<Value>(
  members: Readonly<Record<string, Value>> | null | undefined,
  name: string
): Value | undefined {
  return members && Object.hasOwn(members, name) ? members[name] : undefined
}

/** For `JSON.stringify`: the same object has the same JSON, in whatever order its members are. */
export function sortMembers(_name: string, value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}
