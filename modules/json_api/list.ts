/**
 * The members of a comma-separated list. AdonisJS hands `a,b` over as an array
 * and `a%2Cb` as one text; all spellings give the same names.
 */
export function listValues(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.split(',').map((name) => name.trim())
  }
  return Array.isArray(value) ? value.flatMap(listValues) : []
}
