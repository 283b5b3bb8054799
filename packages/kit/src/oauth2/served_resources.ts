import { InvalidTarget } from '#auth/errors'
import { isSameOrigin } from '#http/loopback'
import { assertOr } from '#process/assert_or'

interface Source {
  /** Without trailing slashes; known once all routes are complete. */
  urls: () => readonly string[]
  /** The scopes of an authorization request for a URL that names none. */
  scopesOf: (url: string) => Promise<readonly string[]>
}

/**
 * The resources that a token can be bound to (RFC 8707 §2): those of the config, compared as exact
 * strings, and the URLs of protected endpoints. A path below such a URL means the endpoint.
 */
export class ServedResources {
  readonly #sources: Source[] = []

  constructor(protected configured: readonly string[]) {}

  add(urls: Source['urls'], scopesOf: Source['scopesOf'] = async () => []): void {
    this.#sources.push({ urls, scopesOf })
  }

  /** The scopes of a request for an endpoint that names none; none for every other resource. */
  async scopesOf(requested: string | null): Promise<readonly string[]> {
    const endpoint = requested === null ? undefined : this.#endpoint(requested)
    return endpoint ? endpoint.scopesOf(endpoint.url) : []
  }

  /** The resource that an indicator means; null without one. @throws {InvalidTarget} when it is not served here */
  resolve(requested: string | null): string | null {
    if (requested === null) {
      return null
    }
    const isConfigured = this.configured.includes(requested)
    const resource = isConfigured ? requested : this.#endpoint(requested)?.url
    assertOr(resource !== undefined, InvalidTarget, 'The resource is not served here.')
    return resource
  }

  #endpoint(requested: string) {
    return this.#sources
      .flatMap(({ urls, scopesOf }) => urls().map((url) => ({ url, scopesOf })))
      .filter(({ url }) => isWithin(requested, url))
      .sort((a, b) => b.url.length - a.url.length)[0]
  }
}

/** Compared in canonical form, so that dot segments cannot leave the path. */
function isWithin(requested: string, endpoint: string): boolean {
  if (!URL.canParse(requested) || /[?#]/.test(requested)) {
    return false
  }
  const wanted = new URL(requested)
  const served = new URL(endpoint)
  const path = served.pathname.replace(/\/$/, '')
  const isBelow = wanted.pathname === path || wanted.pathname.startsWith(`${path}/`)
  return wanted.username + wanted.password === '' && isSameOrigin(wanted, served) && isBelow
}
