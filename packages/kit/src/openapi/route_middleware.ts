import type { KnownRoute } from '#openapi/types'

interface NamedMiddleware {
  name: string
  args?: unknown
}

/** The middleware of a route by name, with what it was given. */
export function namedMiddleware({ route }: KnownRoute): Map<string, unknown> {
  const entries = [...route.middleware.all()] as unknown[]
  return new Map(
    entries
      .filter((entry): entry is NamedMiddleware => typeof entry === 'object' && entry !== null)
      .map(({ name, args }) => [name, args])
  )
}
