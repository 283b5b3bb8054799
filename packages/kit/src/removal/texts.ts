/** A text without the parts that are marked as features', e.g. `feature: posts` to `/feature` in comments. */
export function withoutMarked(text: string, features: ReadonlySet<string>): string {
  const open: boolean[] = []
  const kept = text.split('\n').filter((line) => {
    const [, begin, end] =
      /^\s*(?:\{\{--|\/\*|\/\/|#) (?:feature: (\w+)|(\/feature))\b/.exec(line) ?? []
    if (begin) {
      open.push(features.has(begin))
    }
    const isKept = !open.includes(true)
    if (end) {
      open.pop()
    }
    return isKept
  })
  return kept.join('\n')
}

/** A file of environment variables without some of them, and the comments right above these. */
export function withoutVariables(text: string, isGone: (name: string) => boolean): string {
  const variable = /(?:^# .*\n)*^#?(?: *)([A-Z][A-Z0-9_]+)(?:=|: ).*\n/gm
  return text.replaceAll(variable, (all, name) => (isGone(name) ? '' : all))
}

/**
 * A migration that drops the tables that others have made, whose way back is to run them again.
 *
 * @param made names of all migrations that are undone, in their order
 * @param additions those whose `down` takes columns out of tables that stay
 */
export function droppingMigration(made: readonly string[], additions: readonly string[]): string {
  const tables = made.toReversed().flatMap((name) => /_create_(\w+)_table$/.exec(name)?.[1] ?? [])
  const drops = tables.map((table) => `this.schema.dropTableIfExists('${table}')`)
  const run = (names: readonly string[], way: 'execUp' | 'execDown') => `
    for (const name of ${JSON.stringify(names)}) {
      const { default: Made } = await import(\`./\${name}.js\`)
      await new Made(this.db, this.file, this.dryRun).${way}()
    }`
  return `import { BaseSchema } from '@adonisjs/lucid/schema'

/** What was stored is deleted for good: a rollback makes empty tables and columns. */
export default class extends BaseSchema {
  async up() {${additions.length ? run(additions.toReversed(), 'execDown') : ''}
    ${drops.join('\n    ')}
  }

  async down() {${run(made, 'execUp')}
  }
}
`
}

/** adonisrc.ts with the names of features that are gone, which \`kit:upgrade\` leaves alone. */
export function withRecord(text: string, names: readonly string[]): string {
  const all = [...new Set([...removedFeatures(text), ...names])].sort()
  const line = `export const removedFeatures = [${all.map((name) => `'${name}'`).join(', ')}]\n`
  const rest = text.replace(RECORD, '').trimEnd()
  return `${rest}\n\n/** What "node ace feature:remove" has taken out: upgrades bring nothing of it. */\n${line}`
}

const RECORD = /(?:\/\*\*.*\*\/\n)?export const removedFeatures = \[([^\]]*)\]\n?/

/** The features that adonisrc.ts says are gone. */
export const removedFeatures = (adonisrc: string): string[] =>
  [...(RECORD.exec(adonisrc)?.[1] ?? '').matchAll(/\w+/g)].map(([name]) => name)
