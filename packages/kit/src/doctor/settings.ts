import { type ProductionSettings, productionWarnings } from '#doctor/production'

import { isLoopback } from '#http/loopback'
import { type Finding, error, ok, warning } from '#doctor/finding'

/** AdonisJS needs it (see bin/runtime.js). */
const NODE_MAJOR = 24

/** Characters of a secret that cannot be guessed: 32 bytes in Base64 are 43. */
const KEY_LENGTH = 32

/**
 * The port of an APP_URL on this computer that is not the one listened on; null when it is, and when
 * APP_URL is somewhere else, behind a tunnel for example.
 */
export function portElsewhere(appUrl: string, port: number): string | null {
  const { hostname, protocol, port: named } = new URL(appUrl)
  const own = named || (protocol === 'https:' ? '443' : '80')
  return isLoopback(hostname) && own !== String(port) ? own : null
}

export function judgeNode(version: string): Finding {
  return Number(version.replace(/^v/, '').split('.')[0]) >= NODE_MAJOR
    ? ok('Node.js', version)
    : error('Node.js', `${version} is too old: install Node.js ${NODE_MAJOR} or newer`)
}

/** A key is judged by its length and by what it repeats, and never shown. */
export function judgeKey(about: string, key: string, inProduction: boolean): Finding {
  const complain = complaint(inProduction)
  if (key.length < KEY_LENGTH) {
    return complain(about, `shorter than ${KEY_LENGTH} characters: set 32 random bytes`)
  }
  return new Set(key).size < 10
    ? complain(about, 'repeats itself: set 32 random bytes')
    : ok(about, 'long enough')
}

/** What a wrong setting is: an error in production alone. */
export const complaint = (inProduction: boolean) => (inProduction ? error : warning)

/** @param secure `secure` of each kind of cookie */
export function judgeCookies(secure: readonly boolean[], inProduction: boolean): Finding {
  return secure.every(Boolean)
    ? ok('cookies', 'sent over https only')
    : complaint(inProduction)(
        'cookies',
        'travel over plain http, where they can be stolen. Set SESSION_SECURE=true'
      )
}

/** In development APP_URL is this computer, and has its port: links and AI clients go there. */
export function judgePort(appUrl: string, port: number): Finding[] {
  const elsewhere = portElsewhere(appUrl, port)
  return elsewhere === null
    ? []
    : [
        warning(
          'APP_URL',
          `names port ${elsewhere}, and the application listens on ${port}: AI clients and links in mails go to the wrong one. Set APP_URL=http://localhost:$PORT`
        ),
      ]
}

/** What a production start would warn about. */
export function judgeProductionSettings(settings: ProductionSettings): Finding[] {
  const warnings = productionWarnings(settings)
  return warnings.length
    ? warnings.map((text) => warning('setting', text))
    : [ok('settings', 'what a start would warn about suits production')]
}
