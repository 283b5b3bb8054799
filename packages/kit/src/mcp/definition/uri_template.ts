import { assertArgument } from '#config/checks'
import { remembered } from '#process/remembered'

/** Longer URIs match no template: matching takes time quadratic in the length. */
const MAX_URI_LENGTH = 2048

type Variable = { name: string; explode: boolean }
type Expression = { operator: Operator; variables: [Variable, ...Variable[]] }

const SEGMENT = /[^/?#]*/y
const PATH = /[^?#]*/y
const QUERY = /[^#]*/y
const REST = /.*/sy

/**
 * The form of an operator's values in a URI (RFC 6570, appendix A): the prefix, without which there are
 * none; the separator between several; and the characters of one value, and of several variables or an
 * exploded one with separators.
 */
const SHAPES = {
  '': { prefix: '', separator: ',', one: SEGMENT, many: SEGMENT },
  '+': { prefix: '', separator: ',', one: REST, many: REST },
  '#': { prefix: '#', separator: ',', one: REST, many: REST },
  '.': { prefix: '.', separator: '.', one: SEGMENT, many: SEGMENT },
  '/': { prefix: '/', separator: '/', one: SEGMENT, many: PATH },
  ';': { prefix: ';', separator: ';', one: SEGMENT, many: SEGMENT },
  '?': { prefix: '?', separator: '&', one: QUERY, many: QUERY },
  '&': { prefix: '&', separator: '&', one: QUERY, many: QUERY },
}

type Operator = keyof typeof SHAPES
type Values = Record<string, string | string[]>

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g
const VARIABLE = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(\*?)$/

/**
 * A URI template (RFC 6570, all operators and the explode modifier) used for matching: it reads the
 * values of the variables from a URI. When several readings are possible, earlier variables get the
 * longer values. The prefix modifier ("{var:3}") is refused, since the value cannot be recovered.
 */
export class UriTemplate {
  readonly variables: string[]
  readonly #parts: (string | Expression)[]

  /** @throws {InvalidArgumentsException} for a template that is malformed or cannot be matched */
  constructor(readonly template: string) {
    this.#parts = parse(template)
    this.variables = this.#parts.flatMap((part) =>
      typeof part === 'string' ? [] : part.variables.map(({ name }) => name)
    )
    const isUnique = new Set(this.variables).size === this.variables.length
    assertArgument(isUnique, `"${template}" names a variable twice`)
  }

  static isTemplate(uri: string): boolean {
    return /[{}]/.test(uri)
  }

  match(uri: string): Values | null {
    const found = uri.length <= MAX_URI_LENGTH ? this.#split(uri) : null
    try {
      return found && Object.assign({}, ...[...found].map(([part, text]) => read(part, text)))
    } catch {
      /* A malformed percent-encoding. */
      return null
    }
  }

  /** The text of each expression. A part is tried once at a position, so that the time is at most quadratic. */
  #split(uri: string): Map<Expression, string> | null {
    const found = new Map<Expression, string>()
    const match = (part: string | Expression, next: (position: number) => boolean) =>
      remembered((position: number): boolean => {
        if (typeof part === 'string') {
          return uri.startsWith(part, position) && next(position + part.length)
        }
        const { prefix, one, many } = SHAPES[part.operator]
        const hasMany = part.variables.length > 1 || part.variables[0].explode
        if (uri.startsWith(prefix, position)) {
          const start = position + prefix.length
          const shortest = prefix === '' ? start + 1 : start
          for (let end = reach(hasMany ? many : one, uri, start); end >= shortest; end--) {
            if (next(end)) {
              found.set(part, uri.slice(start, end))
              return true
            }
          }
        }
        return prefix !== '' && next(position)
      })
    const end = (position: number): boolean => position === uri.length
    return this.#parts.reduceRight((next, part) => match(part, next), end)(0) ? found : null
  }
}

function parse(template: string): (string | Expression)[] {
  /* A literal, and for each expression its operator, its variables and the literal behind it. */
  const [first, ...rest] = template.split(EXPRESSION)
  const parts: (string | Expression)[] = [first!]
  for (let index = 0; index < rest.length; index += 3) {
    /* EXPRESSION lets no other operator pass. */
    const [operator, list, literal] = rest.slice(index) as [Operator, string, string]
    const fault = `"${template}" has two expressions with nothing between to tell them apart`
    const isApart = index === 0 || parts.at(-1) !== '' || SHAPES[operator].prefix !== ''
    assertArgument(isApart, fault)
    const variables = list.split(',').map((spec) => {
      const [, name, modifier] = VARIABLE.exec(spec) ?? []
      assertArgument(!!name, `"{${operator}${list}}" in "${template}" cannot be read backwards`)
      return { name: name!, explode: modifier === '*' }
    })
    parts.push({ operator, variables: variables as Expression['variables'] }, literal)
  }
  const isWhole = parts.every((part) => typeof part !== 'string' || !UriTemplate.isTemplate(part))
  assertArgument(isWhole, `"${template}" is not a URI template`)
  return parts
}

function reach(allowed: RegExp, uri: string, start: number): number {
  allowed.lastIndex = start
  allowed.exec(uri)
  return allowed.lastIndex
}

function read({ operator, variables }: Expression, text: string): Values {
  const { separator } = SHAPES[operator]
  if (operator === ';' || separator === '&') {
    return readNamed(variables, text.split(separator))
  }
  const isOne = variables.length === 1 && !variables[0].explode
  const parts = isOne ? [text] : text.split(separator)
  const values: Values = {}
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
function readNamed(variables: Variable[], pairs: string[]): Values {
  const values: Values = {}
  for (const pair of pairs) {
    const [name = '', ...rest] = pair.split('=')
    const variable = variables.find((one) => one.name === name)
    const value = variable && decodeURIComponent(rest.join('='))
    if (variable?.explode) {
      const list = (values[name] ??= []) as string[]
      list.push(value!)
    } else if (variable) {
      values[name] = value!
    }
  }
  return values
}
