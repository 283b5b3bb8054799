import { randomBytes } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'
import { cspFactory, frameGuardFactory, hstsFactory, noSniffFactory } from '@adonisjs/shield/guards'
import type { ShieldConfig } from '@adonisjs/shield/types'
import lodash from '@poppinss/utils/lodash'

/** Settings of `config/shield.ts`: Shield's, and headers by name that it does not know. */
export type SecurityConfig = Partial<ShieldConfig> & { headers?: Record<string, string> }

/** Shield's own guards make them, once; its middleware would build its policy and a view anew for each request. */
export class SecurityHeaders {
  /** @param nonce what stands for the nonce in the headers; null when they have none */
  constructor(
    protected readonly headers: [name: string, value: string][],
    protected readonly nonce: string | null
  ) {}

  static async make(config: SecurityConfig): Promise<SecurityHeaders> {
    const headers = new Map<string, string>()
    const set = (name: string, value: string) => headers.set(name, value)
    const recorder = { header: set, request: {}, response: { setHeader: set }, nonce: '' }

    const { csp, xFrame, hsts, contentTypeSniffing } = config
    for (const guard of [
      /* Shield puts functions in place of keywords, into the very lists that it is given. */
      cspFactory({ ...csp, directives: lodash.cloneDeep(csp?.directives ?? {}) } as never),
      frameGuardFactory((xFrame ?? {}) as never),
      hstsFactory((hsts ?? {}) as never),
      noSniffFactory((contentTypeSniffing ?? {}) as never),
    ]) {
      await guard({ response: recorder } as unknown as HttpContext)
    }
    Object.entries(config.headers ?? {}).forEach(([name, value]) => set(name, value))
    const usesNonce = [...headers.values()].some((value) => value.includes(`'nonce-`))
    return new SecurityHeaders([...headers], usesNonce ? recorder.nonce : null)
  }

  /** A policy with `@nonce` gets a nonce for each response, as `response.nonce` and as `cspNonce` in views. */
  apply(ctx: HttpContext): void {
    const { response } = ctx
    const nonce = this.nonce === null ? null : randomBytes(16).toString('base64url')
    for (const [name, value] of this.headers) {
      response.header(name, nonce === null ? value : value.replaceAll(this.nonce!, nonce))
    }
    if (nonce !== null) {
      Object.assign(response, { nonce })
      ctx.view.share({ cspNonce: nonce })
    }
  }
}
