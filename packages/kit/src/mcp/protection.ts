import type { ChallengedResource } from '#auth/challenge'
import type { GuardName } from '#auth/guard_types'
import type { ScopeName } from '#auth/scopes'
import type { ProtectedResources, TokenServer } from '#auth/protected_resources'
import { underUsedName } from '#http/loopback'

export interface ProtectionOptions {
  /** Scopes that every call needs. With `optional`, every call that needs scopes of its own. */
  scopes?: readonly ScopeName[]

  /** Accepts anonymous callers too; a call that needs scopes is refused with a challenge. */
  optional?: boolean

  /**
   * Lets a client ask for what it needs first, and for more when a call needs it: a 401 names no
   * scopes but those of the mount, and with `optional` also those of the call. Default: all that something of the mount can need, because many
   * clients never ask a second time.
   */
  leastFirst?: boolean

  /** Guards of API tokens that are accepted besides OAuth access tokens. */
  guards?: readonly GuardName[]
}

/** What protected mounts need from the OAuth server (RFC 8707, RFC 9728); McpProvider brings it. */
export type ResourceServer = Pick<ProtectedResources, 'server' | 'acceptsTokens' | 'authenticate'>

/** Requested for what outlives the session, not for a resource (OpenID Connect Core, section 11). */
const OFFLINE_ACCESS = 'offline_access'

export class Protection {
  readonly optional: boolean
  readonly guards: readonly string[]
  readonly scopes: readonly ScopeName[]
  #offered: readonly string[] = []

  /**
   * @param baseUrl public URL of the application, without a trailing slash
   * @param mountPath path of the mount, known once its groups are complete
   * @param shownBaseUrl the same URL under the name that the caller has used; null over stdio
   */
  constructor(
    private readonly options: ProtectionOptions,
    private readonly baseUrl: string,
    private readonly mountPath: () => string,
    private readonly shownBaseUrl: string | null = baseUrl
  ) {
    const { optional = false, guards = [], scopes = [] } = options
    this.optional = optional
    this.guards = guards
    this.scopes = scopes
  }

  /** Path of the mount, without a trailing slash: empty at the root. */
  get path(): string {
    return this.mountPath().replace(/\/$/, '')
  }

  /** The resource identifier of the mount (RFC 8707, section 2; RFC 9728, section 1.2). */
  get url(): string {
    return this.baseUrl + this.path
  }

  /** The resource identifier as the caller knows it, whose tokens are those of `url`. */
  get shownUrl(): string {
    return (this.shownBaseUrl ?? this.baseUrl) + this.path
  }

  /** Where the metadata document of the mount is (RFC 9728, section 3.1). */
  get metadataUrl(): string {
    const { origin, pathname } = new URL(this.shownUrl)
    return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  }

  get resource(): ChallengedResource {
    const { url, metadataUrl } = this
    return { url, metadataUrl, scopes: this.scopesToAskFor(this.scopes) }
  }

  /** The same for a caller that knows this computer by another name: documents name what it knows. */
  seenAt(host: string | undefined): Protection {
    const shown = underUsedName(this.baseUrl, host)
    return shown === this.baseUrl ? this : this.seenUnder(shown)
  }

  /** @param shownBaseUrl null for a client over stdio, which acts for the user that its command names */
  seenUnder(shownBaseUrl: string | null): Protection {
    const seen = new Protection(this.options, this.baseUrl, this.mountPath, shownBaseUrl)
    seen.offer(this.#offered)
    return seen
  }

  /** How a person signs an anonymous client in: the end of an error's text. */
  get signIn(): string {
    return this.shownBaseUrl === null
      ? 'to name their user with --user in the command that starts this server'
      : `to connect the client to ${this.shownUrl} again, with OAuth`
  }

  /** Tells which scopes the classes of the server declare, once they are known. */
  offer(scopes: readonly string[]): void {
    this.#offered = scopes
  }

  /** The scopes that a 401 names, so that the token that a client gets opens all it can. */
  scopesToAskFor(required: readonly string[]): readonly string[] {
    const all = () => [...new Set([...this.scopes, ...required, ...this.#offered])]
    return this.options.leastFirst ? required : all()
  }

  /** The scopes that are needed for something that declares scopes of its own, or none. */
  scopesFor(own: readonly string[]): readonly string[] {
    return this.optional && own.length === 0 ? [] : [...new Set([...this.scopes, ...own])]
  }

  metadata(name: string, { issuer, proofAlgorithms }: TokenServer) {
    const scopes = [...new Set([...this.scopes, ...this.#offered])]
    return {
      resource: this.shownUrl,
      authorization_servers: [issuer ?? new URL(this.shownUrl).origin],
      scopes_supported: scopes.filter((scope) => scope !== OFFLINE_ACCESS),
      bearer_methods_supported: ['header'],
      resource_name: name,
      ...(proofAlgorithms.length > 0 && { dpop_signing_alg_values_supported: proofAlgorithms }),
    }
  }
}
