import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/** Longer URIs match no template: matching takes time quadratic in the length. */
const MAX_URI_LENGTH = 2048

interface Variable {
  name: string
  explode: boolean
}

interface Expression {
  operator: Operator
  variables: [Variable, ...Variable[]]
}

/** The form of an operator's values in a URI (RFC 6570, appendix A). */
interface Shape {
  /** The prefix of the values; without it there are none. */
  prefix: string

  /** The characters of one value, and of several variables or an exploded one with separators. */
  one: RegExp
  many: RegExp
}

const SEGMENT = /[^/?#]*/y
const REST = /.*/sy
const SHAPES = {
  '': { prefix: '', one: SEGMENT, many: SEGMENT },
  '+': { prefix: '', one: REST, many: REST },
  '#': { prefix: '#', one: REST, many: REST },
  '.': { prefix: '.', one: SEGMENT, many: SEGMENT },
  '/': { prefix: '/', one: SEGMENT, many: /[^?#]*/y },
  ';': { prefix: ';', one: SEGMENT, many: SEGMENT },
  '?': { prefix: '?', one: /[^#]*/y, many: /[^#]*/y },
  '&': { prefix: '&', one: /[^#]*/y, many: /[^#]*/y },
} satisfies Record<string, Shape>

type Operator = keyof typeof SHAPES

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g
const VARIABLE = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(\*?)$/

/**
 * A URI template (RFC 6570, all operators and the explode modifier) used for matching: it
 * reads the values of the variables from a URI. When several readings are possible, earlier
 * variables get the longer values. The prefix modifier ("{var:3}") is refused, since the value cannot
 * be recovered.
 */
export class UriTemplate {
  readonly variables: string[]
  readonly #parts: (string | Expression)[] = []

  /** @throws {InvalidArgumentsException} for a template that is malformed or cannot be matched */
  constructor(readonly template: string) {
    this.#parse()
    this.variables = this.#parts.flatMap((part) =>
      typeof part === 'string' ? [] : part.variables.map(({ name }) => name)
    )
    if (new Set(this.variables).size !== this.variables.length) {
      throw new InvalidArgumentsException(`"${template}" names a variable twice`)
    }
  }

  static isTemplate(uri: string): boolean {
    return /[{}]/.test(uri)
  }

  /** The decoded values of the variables; null when the URI does not match. */
  match(uri: string): Record<string, string | string[]> | null {
    const found = uri.length <= MAX_URI_LENGTH ? this.#split(uri) : null
    if (!found) {
      return null
    }

    const values: Record<string, string | string[]> = {}
    try {
      for (const [expression, text] of found) {
        Object.assign(values, read(expression, text))
      }
    } catch {
      /* A malformed percent-encoding. */
      return null
    }
    return values
  }

  /**
   * Assigns pieces of the URI to the expressions. Failed positions are remembered, so that the time
   * is at most quadratic in the length of the URI.
   */
  #split(uri: string): Map<Expression, string> | null {
    const found = new Map<Expression, string>()
    const deadEnds = new Set<number>()

    const follow = (index: number, position: number): boolean => {
      const part = this.#parts[index]
      if (part === undefined) {
        return position === uri.length
      }
      const key = index * (uri.length + 1) + position
      if (deadEnds.has(key)) {
        return false
      }
      const leads =
        typeof part === 'string'
          ? uri.startsWith(part, position) && follow(index + 1, position + part.length)
          : take(part, index, position)
      if (!leads) {
        deadEnds.add(key)
      }
      return leads
    }

    const take = (part: Expression, index: number, position: number): boolean => {
      const { prefix, one, many } = SHAPES[part.operator]
      if (uri.startsWith(prefix, position)) {
        const start = position + prefix.length
        const [first, ...others] = part.variables
        const allowed = others.length > 0 || first.explode ? many : one
        const shortest = prefix === '' ? start + 1 : start
        for (let end = reach(allowed, uri, start); end >= shortest; end--) {
          if (follow(index + 1, end)) {
            found.set(part, uri.slice(start, end))
            return true
          }
        }
      }
      return prefix !== '' && follow(index + 1, position)
    }

    return follow(0, 0) ? found : null
  }

  #parse() {
    let end = 0
    for (const match of this.template.matchAll(EXPRESSION)) {
      const literal = this.template.slice(end, match.index)
      /* EXPRESSION lets no other operator pass. */
      const operator = (match[1] ?? '') as Operator
      if (end > 0 && literal === '' && SHAPES[operator].prefix === '') {
        throw new InvalidArgumentsException(
          `"${this.template}" has two expressions with nothing between to tell them apart`
        )
      }
      this.#addLiteral(literal)
      this.#parts.push({ operator, variables: this.#variables(operator, match[2] ?? '') })
      end = match.index + match[0].length
    }
    this.#addLiteral(this.template.slice(end))
  }

  #addLiteral(text: string) {
    if (UriTemplate.isTemplate(text)) {
      throw new InvalidArgumentsException(`"${this.template}" is not a URI template`)
    }
    this.#parts.push(text)
  }

  #variables(operator: string, list: string): Expression['variables'] {
    const [first = '', ...others] = list.split(',')
    const parse = (spec: string): Variable => {
      const [, name, modifier] = VARIABLE.exec(spec) ?? []
      if (!name) {
        throw new InvalidArgumentsException(
          `"{${operator}${list}}" in "${this.template}" cannot be read backwards`
        )
      }
      return { name, explode: modifier === '*' }
    }
    return [parse(first), ...others.map(parse)]
  }
}

/** The end of the characters that an expression may contain. */
function reach(allowed: RegExp, uri: string, start: number): number {
  allowed.lastIndex = start
  allowed.exec(uri)
  return allowed.lastIndex
}

/** Separator between the values of an operator (RFC 6570, appendix A). */
const SEPARATORS: Record<string, string> = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' }

function read(
  { operator, variables }: Expression,
  text: string
): Record<string, string | string[]> {
  const separator = SEPARATORS[operator] ?? ','
  if (operator === ';' || operator === '?' || operator === '&') {
    return readNamed(variables, text.split(separator))
  }
  const [first, ...others] = variables
  if (others.length === 0) {
    return {
      [first.name]: first.explode
        ? text.split(separator).map(decodeURIComponent)
        : decodeURIComponent(text),
    }
  }

  const parts = text.split(separator)
  const values: Record<string, string | string[]> = {}
  for (const { name, explode } of variables) {
    if (parts.length === 0) {
      break
    }
    values[name] = explode
      ? parts.splice(0).map(decodeURIComponent)
      : decodeURIComponent(parts.shift()!)
  }
  return values
}

/** Pairs of name and value in any order; unknown names are left out. */
function readNamed(variables: Variable[], pairs: string[]): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    const variable = variables.find((one) => one.name === name)
    if (!variable) {
      continue
    }
    const value = decodeURIComponent(at === -1 ? '' : pair.slice(at + 1))
    if (variable.explode) {
      const list = (values[name] ??= []) as string[]
      list.push(value)
    } else {
      values[name] = value
    }
  }
  return values
}
