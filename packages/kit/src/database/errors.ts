/** SQLite's and PostgreSQL's code for a broken unique index. */
const UNIQUE_VIOLATION = ['SQLITE_CONSTRAINT_UNIQUE', '23505']

/** Whether a statement failed because a value is in the table already. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATION.includes((error as { code?: string } | null)?.code ?? '')
}

/** SQLite's and PostgreSQL's code for a broken foreign key. */
const FOREIGN_KEY_VIOLATION = ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503']

/** Whether a statement failed because a row that it refers to is missing, or because others refer to its row. */
export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY_VIOLATION.includes((error as { code?: string } | null)?.code ?? '')
}
