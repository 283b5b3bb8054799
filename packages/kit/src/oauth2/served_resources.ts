import { InvalidTarget } from '#auth/errors'

/** Returns URLs that are known once all routes are complete. */
type UrlSource = () => readonly string[]

/**
 * The resources that a token can be bound to (RFC 8707 §2): those of the config, compared as exact
 * strings, and the URLs of protected endpoints. A path below such a URL means the endpoint.
 */
export class ServedResources {
  readonly #configured: readonly string[]
  readonly #sources: UrlSource[] = []

  constructor(configured: readonly string[]) {
    this.#configured = configured
  }

  /** Adds the URLs of protected endpoints, without trailing slashes. */
  add(urls: UrlSource): void {
    this.#sources.push(urls)
  }

  /**
   * The resource that an indicator means.
   *
   * @throws {InvalidTarget} when it is not served here
   */
  resolve(requested: string): string {
    if (this.#configured.includes(requested)) {
      return requested
    }
    const endpoint = this.#sources
      .flatMap((urls) => [...urls()])
      .filter((url) => isWithin(requested, url))
      .sort((a, b) => b.length - a.length)[0]
    if (endpoint === undefined) {
      throw new InvalidTarget('The resource is not served here.')
    }
    return endpoint
  }
}

/**
 * Whether an indicator is the URL of an endpoint or below it. Both are compared in canonical form,
 * so that dot segments cannot leave the path.
 */
function isWithin(requested: string, endpoint: string): boolean {
  if (!URL.canParse(requested) || /[?#]/.test(requested)) {
    return false
  }
  const wanted = new URL(requested)
  const { origin, pathname } = new URL(endpoint)
  const path = pathname.replace(/\/$/, '')
  const isBare = wanted.username === '' && wanted.password === ''
  return (
    isBare &&
    wanted.origin === origin &&
    (wanted.pathname === path || wanted.pathname.startsWith(`${path}/`))
  )
}
