/** SQLite's and PostgreSQL's code for a broken unique index. */
const UNIQUE_VIOLATION = ['SQLITE_CONSTRAINT_UNIQUE', '23505']

/** Whether a statement failed because a value is in the table already. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATION.includes((error as { code?: string } | null)?.code ?? '')
}
