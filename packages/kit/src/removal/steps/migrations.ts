import type { Manifest } from '#removal/manifests'
import type { Workspace } from '#removal/workspace'

/** The migrations of features. */
export const migrationsOf = (features: readonly Manifest[]) =>
  features.flatMap(({ files }) => files.filter((path) => path.startsWith('database/migrations/')))

/** Migrations that have run stay, as other databases may have them too; one more drops what they made. Returns its path. */
export function writeDroppingMigration(
  workspace: Workspace,
  features: readonly Manifest[],
  now: Date
): string {
  const stamp = now
    .toISOString()
    .replace('T', '_')
    .replaceAll('-', '_')
    .replaceAll(':', '')
    .slice(0, 17)
  const names = features.map(({ name }) => name).join('_and_')
  const path = `database/migrations/${stamp}_drop_${names}.ts`
  workspace.write(path, droppingMigration(features))
  return path
}

function droppingMigration(features: readonly Manifest[]): string {
  const names = features.map(({ name }) => name).join(', ')
  const tables = features.flatMap((feature) => feature.tables ?? [])
  const columns = features.flatMap((feature) => Object.entries(feature.columns ?? {}))
  const drops = [
    ...tables.map((table) => `    this.schema.dropTableIfExists('${table}')`),
    ...columns.map(
      ([table, added]) => `    this.schema.alterTable('${table}', (table) => {
      table.dropColumns(${added.map((name) => `'${name}'`).join(', ')})
    })`
    ),
  ]
  const made = migrationsOf(features)
    .sort()
    .map((path) => path.replace(/\.ts$/, ''))
  return `import { BaseSchema } from '@adonisjs/lucid/schema'

${made.map((path, index) => `import Migration${index} from '#${path}'`).join('\n')}

/** They made what is dropped here. */
const MADE_BY = [${made.map((_, index) => `Migration${index}`).join(', ')}]

/** What was stored for ${names} is deleted for good: a rollback makes empty tables. */
export default class extends BaseSchema {
  async up() {
${drops.join('\n')}
  }

  async down() {
    for (const Migration of MADE_BY) {
      await new Migration(this.db, this.file, this.dryRun).execUp()
    }
  }
}
`
}
