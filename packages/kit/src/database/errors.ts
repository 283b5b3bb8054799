/** SQLite tells a primary key from other unique columns. */
const UNIQUE = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code ?? ''

/** Whether a statement failed on SQLite or PostgreSQL because a value is in the table already. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE.includes(codeOf(error))
}

/** Whether a row that the statement refers to is missing, or others refer to its row. */
export function isForeignKeyViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'].includes(codeOf(error))
}
