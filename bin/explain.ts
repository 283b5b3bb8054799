/** The message of Node.js for an import of a schema class that is not there. */
const MISSING_CLASS = /'#database\/schema' does not provide an export named '(\w+)'/

/** One sentence for an error that can be fixed without reading a stack trace, or null. */
export function explain(error: unknown): string | null {
  const { code, message, help, address, port } = error as Record<string, unknown>
  const missing = MISSING_CLASS.exec(String(message))
  if (missing) {
    return `There is no ${missing[1]} in database/schema.ts: run "node ace migration:run" in development, which writes a class for each table. A migration has to create the table first ("node ace make:migration").`
  }
  switch (code) {
    case 'E_INVALID_ENV_VARIABLES':
      return `The environment is not complete or not valid: ${String(help)
        .split('\n')
        .map((line) => line.replace(/^\W+/, '').trim())
        .filter(Boolean)
        .join('; ')}. Correct .env (see .env.example).`
    case 'EADDRINUSE':
      return `Cannot listen on ${address}:${port}: the port is in use. Set another PORT in the environment.`
    case 'EACCES':
    case 'EROFS':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return `Cannot write where the application keeps its files: ${message}.`
    default:
      return null
  }
}
