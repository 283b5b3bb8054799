import { toJson } from '#json_api/json'
import { BoundedMap } from '#process/remembered'

export type Values = Record<string, unknown>

export interface Attribute {
  name: string
  /** The member of the values that it is read from. */
  member: string
  /** Reads it where it is more than that member. */
  read?: (values: any, source: any, model: any) => unknown
}

/** The name of an attribute in the document; null when it is not shown. */
export type NameOf = (attribute: string) => string | null

export class AttributeMaker {
  /** The members of the object before, and the attributes that they become: most have the same. */
  #members: readonly string[] = []
  #attributes: readonly Attribute[] = []
  /** Compiled for the second object with these members. */
  #literal: Literal | null = null

  /**
   * @param attributeOf the attribute of a member; null for one that is not shown
   * @param more attributes that no member stands for
   */
  constructor(
    private attributeOf: (member: string) => Attribute | null,
    private more: readonly Attribute[] = []
  ) {}

  static ofMembers(nameOf: NameOf) {
    return new AttributeMaker((member) => {
      const name = nameOf(member)
      return name === null ? null : { name, member }
    })
  }

  /**
   * Attributes as JSON; an undefined one is none.
   * @param source what is asked for a member that is undefined
   * @param omitted names of relationships that the class does not declare
   */
  make(values: Values, source: Values, model: unknown, omitted: ReadonlySet<string> | null) {
    if (!hasMembers(values, this.#members)) {
      this.#members = Object.keys(values)
      const shown = this.#members.flatMap((member) => this.attributeOf(member) ?? [])
      this.#attributes = [...shown, ...this.more]
      this.#literal = null
    } else if (!omitted) {
      this.#literal ??= compile(this.#attributes)
      const made = this.#literal(values, source, model, this.#attributes, asJson)
      if (made) {
        return made
      }
    }
    const made: Values = {}
    for (const { name, member, read } of this.#attributes) {
      if (omitted?.has(name)) {
        continue
      }
      let value = read ? read(values, source, model) : values[member]
      value = asJson(value === undefined && !read ? source[member] : value)
      if (value !== undefined) {
        made[name] = value
      }
    }
    return made
  }
}

/** Whether an object has exactly these members, in their order. */
function hasMembers(values: object, members: readonly string[]): boolean {
  let index = 0
  for (const member in values) {
    if (index === members.length || members[index++] !== member) {
      return false
    }
  }
  return index === members.length
}

function asJson(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : toJson(value)
}

/** Makes attributes by an object literal of their names; null when one is undefined. */
type Literal = (
  values: Values,
  source: unknown,
  model: unknown,
  attributes: readonly Attribute[],
  toJsonValue: typeof asJson
) => Values | null

/** Names come from classes and from objects: the oldest make room when they are ever so many. */
const literals = new BoundedMap<string, Literal>(1000)

/** Members that are set one by one, by names that V8 looks up each time, take 5 % of a document. */
function compile(attributes: readonly Attribute[]): Literal {
  const key = JSON.stringify(attributes.map(({ name, member, read }) => [name, member, !!read]))
  const known = literals.get(key)
  if (known) {
    return known
  }
  const consts = attributes.map(({ member, read }, index) => {
    const value = read
      ? `attributes[${index}].read(values, source, model)`
      : `values[${JSON.stringify(member)}]`
    return `const a${index} = asJson(${value});`
  })
  const isNone = ['false', ...attributes.map((_, index) => `a${index} === undefined`)].join(' || ')
  const members = attributes.map(({ name }, index) => `${JSON.stringify(name)}: a${index}`)
  const body = `${consts.join('')} return ${isNone} ? null : { ${members.join()} }`
  const parameters = ['values', 'source', 'model', 'attributes', 'asJson']
  const literal = new Function(...parameters, body) as Literal
  literals.set(key, literal)
  return literal
}
