import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'

/** Everybody gets an address of these: they are of no organisation. */
export const PUBLIC_DOMAINS = new Set(
  `126.com 163.com aol.com btinternet.com comcast.net fastmail.com free.fr freenet.de gmail.com gmx.at
  gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.de hotmail.fr
  icloud.com laposte.net libero.it live.com mac.com mail.com mail.ru mailbox.org me.com msn.com naver.com
  orange.fr outlook.com outlook.de pm.me posteo.de proton.me protonmail.com qq.com rediffmail.com
  rocketmail.com seznam.cz t-online.de tuta.com tutanota.com wanadoo.fr web.de yahoo.co.jp yahoo.co.uk
  yahoo.com yahoo.de yahoo.fr yandex.com yandex.ru ymail.com zoho.com`.split(/\s+/)
)

const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** Milliseconds that the name servers may take. */
const DNS_TIMEOUT = 8000

/** A domain as it is compared; null for a text that is none. */
export function domainOf(text: string): string | null {
  const domain = domainToASCII(text.trim()).toLowerCase()
  return DOMAIN.test(domain) ? domain : null
}

/** Whether an address is of a domain, in letters or encoded: mail to both goes to one mailbox (RFC 5890 §2.3.2.1). */
export const isOfDomain = (email: string, domain: string): boolean =>
  domainToASCII(domain) !== '' && domainToASCII(email.split('@').at(-1)!) === domainToASCII(domain)

/** The TXT records of a name. @throws {Error} when the name servers do not answer in time */
export async function resolvePublicly(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const timer = setTimeout(() => resolver.cancel(), DNS_TIMEOUT)
  try {
    const records = await resolver.resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (error) {
    if (['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code!)) {
      return []
    }
    throw error
  } finally {
    clearTimeout(timer)
  }
}
