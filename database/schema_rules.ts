import type { SchemaRules } from '@adonisjs/lucid/types/schema_generator'

const imports = [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }]

/** A column whose value is read by a function, null apart. */
const readBy = (type: 'boolean' | 'number', name: 'Boolean' | 'Number') => ({
  tsType: type,
  decorator: `@column({ consume: (value) => (value === null ? null : ${name}(value)) })`,
  imports,
})

/** Objects and lists. SQLite hands them over as text; PostgreSQL would take a list for one of its arrays. */
const json = {
  tsType: 'any',
  decorator:
    "@column({ prepare: (value) => (value === null ? null : JSON.stringify(value)), consume: (value) => (typeof value === 'string' ? JSON.parse(value) : value) })",
  imports,
}

export default {
  types: {
    /* SQLite keeps booleans as numbers. */
    boolean: readBy('boolean', 'Boolean'),
    /* PostgreSQL hands these over as text. They are exact up to 2^53, or 15 digits. */
    bigint: readBy('number', 'Number'),
    decimal: readBy('number', 'Number'),
    json,
    jsonb: json,
  },
} satisfies SchemaRules
