/**
 * Turns a value into plain JSON, as JSON.stringify would see it; a bigint, which
 * JSON.stringify refuses, becomes text.
 */
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return String(value)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return toJson(value.toJSON())
  }
  return Array.isArray(value)
    ? value.map(toJson)
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]))
}

/** A JSON Pointer from the names on its way (RFC 6901 §3). */
export function jsonPointer(...segments: string[]): string {
  const escaped = segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1'))
  return escaped.map((segment) => `/${segment}`).join('')
}
