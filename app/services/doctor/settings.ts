import { type ProductionSettings, productionWarnings } from '#start/production'

import { type Finding, error, ok, warning } from '#services/doctor/finding'

/** AdonisJS needs it (see bin/runtime.js). */
const NODE_MAJOR = 24

/** Characters of a secret that cannot be guessed: 32 bytes in Base64 are 43. */
const KEY_LENGTH = 32

export interface Keys {
  appKey: string
  /** A shared secret or a private key; null when none is set. */
  oauthKey: string | null
  /** Whether there is a set of keys, which OAUTH_KEY need not be beside. */
  hasKeySet?: boolean
}

export interface Cookies {
  /** Of the session and of CSRF. */
  session: boolean
  /** Of everything else. */
  others: boolean
}

export function judgeNode(version: string): Finding {
  return Number(version.replace(/^v/, '').split('.')[0]) >= NODE_MAJOR
    ? ok('Node.js', version)
    : error('Node.js', `${version} is too old: install Node.js ${NODE_MAJOR} or newer`)
}

/** Keys are judged by their length and by what they repeat, and never shown. */
export function judgeKeys(
  { appKey, oauthKey, hasKeySet = false }: Keys,
  inProduction: boolean
): Finding[] {
  const complain = inProduction ? error : warning
  const findings = [judgeKey('APP_KEY', appKey, complain)]
  if (oauthKey === null && hasKeySet) {
    return findings
  }
  if (oauthKey === null) {
    findings.push(
      complain('OAUTH_KEY', 'not set: access tokens end when the process does. Set 32 random bytes')
    )
  } else if (oauthKey === appKey) {
    findings.push(
      complain('OAUTH_KEY', 'the same as APP_KEY: who learns one has both. Set another one')
    )
  } else {
    findings.push(judgeKey('OAUTH_KEY', oauthKey, complain))
  }
  return findings
}

function judgeKey(about: string, key: string, complain: typeof error): Finding {
  if (key.length < KEY_LENGTH) {
    return complain(about, `shorter than ${KEY_LENGTH} characters: set 32 random bytes`)
  }
  return new Set(key).size < 10
    ? complain(about, 'repeats itself: set 32 random bytes')
    : ok(about, 'long enough')
}

export function judgeCookies(cookies: Cookies, inProduction: boolean): Finding {
  const isSecure = cookies.session && cookies.others
  return isSecure
    ? ok('cookies', 'sent over https only')
    : (inProduction ? error : warning)(
        'cookies',
        'travel over plain http, where they can be stolen. Set SESSION_SECURE=true'
      )
}

/** What a production start would warn about. */
export function judgeProductionSettings(settings: ProductionSettings): Finding[] {
  const warnings = productionWarnings(settings)
  return warnings.length
    ? warnings.map((text) => warning('setting', text))
    : [ok('settings', 'address, issuer, mail and limiter suit production')]
}
