import type { Manifest } from '#removal/manifests'
import type { Workspace } from '#removal/workspace'

/** The migrations of features. */
export const migrationsOf = (features: readonly Manifest[]) =>
  features.flatMap(({ files }) => files.filter((path) => path.startsWith('database/migrations/')))

/** Migrations that have run stay, as other databases may have them too; one more drops what they made. */
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
  const tables = features.flatMap((feature) => feature.tables ?? [])
  const columns = features.flatMap((feature) => Object.entries(feature.columns ?? {}))
  const drops = [
    ...tables.map((table) => `    this.schema.dropTableIfExists('${table}')`),
    ...columns.map(
      ([table, names]) => `    this.schema.alterTable('${table}', (table) => {
      table.dropColumns(${names.map((name) => `'${name}'`).join(', ')})
    })`
    ),
  ]
  return `import { BaseSchema } from '@adonisjs/lucid/schema'

/** What was stored for ${features.map(({ name }) => name).join(', ')} is deleted for good. */
export default class extends BaseSchema {
  async up() {
${drops.join('\n')}
  }
}
`
}
