import { fitsForm, type FormSchema } from '#mcp/request'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import type { JsonSchema } from '#mcp/types'

/** A field of the page that asks for what a form's schema describes (2025-11-25, "Elicitation", Requested Schema). */
export type QuestionField = ReturnType<typeof fieldsOf>[number]

/** A rule that a value breaks, and the limit that the rule sets. */
export type Problem = { rule: string; limit?: unknown }

/** The inputs of browsers that type these formats; a date with a time has none that knows of zones. */
const INPUTS = { email: 'email', uri: 'url', date: 'date' } as const

/** @param index of the form on its page */
export function fieldsOf({ properties, required = [] }: FormSchema, index: number) {
  return Object.entries(properties).map(([property, schema], position) => {
    const options = optionsOf(schema)
    const typed = INPUTS[schema.format as keyof typeof INPUTS] ?? 'text'
    return {
      /* Of the input; a property may be called anything. */
      name: `form${index}_field${position}`,
      property,
      schema,
      required: (required as string[]).includes(property),
      kind: kindOf(schema, options.length > 0),
      /* The `type` of the input that a text is typed into. */
      type: isNumber(schema) ? 'number' : typed,
      options,
    }
  })
}

/** What was typed, in the types of the schema, and the problems by the names of the inputs. */
export function readForm(fields: QuestionField[], typed: JsonObject) {
  const values = fields.map((field) => [field, readValue(field, typed[field.name])] as const)
  const given = values.filter(([, value]) => value !== undefined)
  const problems = values.map(([field, value]) => [field.name, problemOf(field, value)] as const)
  return {
    content: Object.fromEntries(given.map(([{ property }, value]) => [property, value])),
    problems: Object.fromEntries(problems.filter(([, problem]) => problem !== null)),
  }
}

function kindOf({ type }: JsonSchema, hasOptions: boolean) {
  if (type === 'boolean') {
    return 'yes'
  }
  const choice = type === 'array' ? 'choices' : 'choice'
  return hasOptions ? choice : 'text'
}

/** Titles are with the values, or in `enumNames` (2025-06-18). */
function optionsOf(schema: JsonSchema): { value: string; label: string }[] {
  const item = (schema.items ?? schema) as Record<string, any[]>
  const { enum: values = [], enumNames = [], oneOf: titled = item.anyOf } = item
  return titled
    ? titled.map(({ const: value, title }) => ({ value, label: title ?? value }))
    : values.map((value, index) => ({ value, label: enumNames[index] ?? value }))
}

const isNumber = ({ type }: JsonSchema): boolean => type === 'number' || type === 'integer'

/** An empty field is no value. A text that is no number stays one, and breaks the rule of its type. */
function readValue({ kind, schema, required }: QuestionField, typed: unknown): unknown {
  if (kind === 'yes') {
    return typed === 'true'
  }
  if (kind === 'choices') {
    const chosen = [typed].flat().filter((one) => typeof one === 'string')
    return chosen.length > 0 || required ? chosen : undefined
  }
  if (typeof typed !== 'string' || typed === '') {
    return undefined
  }
  const number = Number(typed)
  return isNumber(schema) && Number.isFinite(number) ? number : typed
}

function problemOf({ schema, required }: QuestionField, value: unknown): Problem | null {
  if (value === undefined) {
    return required ? { rule: 'required' } : null
  }
  if (fitsForm(schema, value)) {
    return null
  }
  const broken = Object.entries(schema).find(([rule, limit]) => !fitsForm({ [rule]: limit }, value))
  const [rule, limit] = broken ?? ['other']
  return { rule: rule === 'type' || rule === 'format' ? String(limit) : rule, limit }
}
