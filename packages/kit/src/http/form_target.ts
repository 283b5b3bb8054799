import type { HttpContext } from '@adonisjs/core/http'

/** Lets the forms of one page lead to a checked URI: `form-action` holds for redirects of their answers, too (CSP 3 §6.4.1). */
export function allowFormTarget({ response }: Pick<HttpContext, 'response'>, uri: string): void {
  for (const name of ['Content-Security-Policy', 'Content-Security-Policy-Report-Only']) {
    const policy = response.getHeader(name)
    if (typeof policy === 'string') {
      response.header(name, policy.replace(/form-action [^;]+/, `$& ${sourceOf(uri)}`))
    }
  }
}

/** An origin, or the scheme alone where a policy cannot name the host: private schemes, IPv6, odd characters. */
function sourceOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return /^https?:\/\/[\w.-]+(:\d+)?$/.test(origin) ? origin : protocol
}
