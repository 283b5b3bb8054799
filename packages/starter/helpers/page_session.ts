import { Visitor } from '#starter/helpers/visitor'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** More steps than a sign-in takes. */
const MAX_STEPS = 12

/**
 * A person in a browser without scripts: follows redirects, and presses buttons of
 * forms. `at` turns an address of the pages into the one where they are served.
 */
export class PageSession {
  readonly #visitor = new Visitor()
  #unticked: string[] = []
  #picked?: string

  constructor(
    protected person: { email: string; password: string },
    protected at: (url: string) => string = (url) => url
  ) {}

  /**
   * Opens the page that a client wants opened, signs in, allows what is asked, and
   * returns where the browser is sent in the end: the client's redirect URI.
   *
   * @param unticked the scopes that the person does not allow
   * @param picked what the person picks of a list; what the page has selected, if nothing
   */
  async allow(opened: URL, unticked: string[] = [], picked?: string): Promise<URL> {
    this.#unticked = unticked
    this.#picked = picked
    const own = new URL(this.at(opened.href)).origin
    let page = await this.#get(this.at(opened.href))
    for (let step = 0; step < MAX_STEPS; step++) {
      const location = page.headers.get('location')
      if (location) {
        const target = new URL(this.at(new URL(location, own).href))
        if (target.origin !== own) {
          return target
        }
        page = await this.#get(target.href)
        continue
      }
      page = await this.#press(own, await page.text())
    }
    throw new Error('The sign-in does not end')
  }

  #get(url: string) {
    return this.#visitor.get(url, { headers: HTML })
  }

  /** Fills in the form that a page is about, and presses its button. */
  #press(own: string, html: string) {
    for (const [, attributes, content] of html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
      const action = attribute(attributes!, 'action')
      if (action === '/login') {
        const { email, password } = this.person
        return this.#submit(own, action, [
          ...fieldsOf(content!),
          ['email', email],
          ['password', password],
        ])
      }
      const button = [...content!.matchAll(/<button([^>]*)>\s*(\S.*?)\s*<\/button>/gs)].find(
        ([, , text]) => text === 'Allow'
      )
      if (button) {
        const name = attribute(button[1]!, 'name')
        const pressed: [string, string][] = name
          ? [[name, attribute(button[1]!, 'value') ?? '']]
          : []
        const to = attribute(button[1]!, 'formaction') ?? action!
        const fields = fieldsOf(content!).filter(([, value]) => !this.#unticked.includes(value))
        return this.#submit(own, to, [...fields, ...pickedOf(content!, this.#picked), ...pressed])
      }
    }
    throw new Error(`The page has no form to go on with: ${html.replace(/<[^>]+>|\s+/g, ' ')}`)
  }

  #submit(own: string, action: string, fields: [string, string][]) {
    return this.#visitor.post(new URL(action, own).href, {
      body: new URLSearchParams(fields).toString(),
      headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded', 'origin': own },
    })
  }
}

/** What a form sends without being touched: hidden fields and ticked boxes. */
function fieldsOf(form: string): [string, string][] {
  return [...form.matchAll(/<input([^>]*)>/gs)].flatMap(([, attributes]) => {
    const type = attribute(attributes!, 'type')
    const sent = type === 'hidden' || (type === 'checkbox' && /\schecked\b/.test(attributes!))
    const name = attribute(attributes!, 'name')
    return sent && name ? [[name, attribute(attributes!, 'value') ?? 'on'] as [string, string]] : []
  })
}

/** What lists of a form send. */
function pickedOf(form: string, picked?: string): [string, string][] {
  return [...form.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].map(([, attributes, options]) => {
    const all = [...options!.matchAll(/<option([^>]*)>/gs)].map(([, one]) => one!)
    const chosen = picked
      ? all.find((one) => attribute(one, 'value') === picked)
      : (all.find((one) => /\sselected\b/.test(one)) ?? all[0])
    if (!chosen) {
      throw new Error(`The list has no ${picked}`)
    }
    return [attribute(attributes!, 'name')!, attribute(chosen, 'value')!]
  })
}

function attribute(attributes: string, name: string): string | null {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? null : unescape(value)
}

function unescape(text: string) {
  return text
    .replace(/&#(x?)([0-9a-f]+);/gi, (_entity, hex, code) =>
      String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10))
    )
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
