import { InvalidTarget } from '#auth/errors'
import { isSameOrigin } from '#http/loopback'

/** Returns URLs that are known once all routes are complete. */
type UrlSource = () => readonly string[]

/** Returns the scopes of an authorization request for a URL that names none. */
type ScopeSource = (url: string) => Promise<readonly string[]>

const NO_SCOPES: ScopeSource = async () => []

/**
 * The resources that a token can be bound to (RFC 8707 §2): those of the config, compared as exact
 * strings, and the URLs of protected endpoints. A path below such a URL means the endpoint.
 */
export class ServedResources {
  readonly #sources: { urls: UrlSource; scopesOf: ScopeSource }[] = []

  constructor(protected configured: readonly string[]) {}

  /** Adds the URLs of protected endpoints, without trailing slashes. */
  add(urls: UrlSource, scopesOf: ScopeSource = NO_SCOPES): void {
    this.#sources.push({ urls, scopesOf })
  }

  /** The scopes that a client is asked for at an endpoint when it names none; none for every other resource. */
  async scopesOf(requested: string | null): Promise<readonly string[]> {
    const endpoint = requested === null ? undefined : this.#endpoint(requested)
    return endpoint ? endpoint.scopesOf(endpoint.url) : []
  }

  /** The resource that an indicator means. @throws {InvalidTarget} when it is not served here */
  resolve(requested: string): string {
    if (this.configured.includes(requested)) {
      return requested
    }
    const endpoint = this.#endpoint(requested)
    if (endpoint === undefined) {
      throw new InvalidTarget('The resource is not served here.')
    }
    return endpoint.url
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
  const isBare = wanted.username === '' && wanted.password === ''
  return (
    isBare &&
    isSameOrigin(wanted, served) &&
    (wanted.pathname === path || wanted.pathname.startsWith(`${path}/`))
  )
}

/** The same for a request (RFC 8707 §2); null when it has no indicator. */
export function resolveResource(requested: string | null, served: ServedResources): string | null {
  return requested === null ? null : served.resolve(requested)
}
