import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { readManifests } from 'adonis-auth-kit/removal/manifests'
import { writeDroppingMigration } from 'adonis-auth-kit/removal/steps/migrations'
import { Workspace } from 'adonis-auth-kit/removal/workspace'

const manifests = await readManifests(app.makePath())
const features = [...manifests.values()].filter(({ tables, columns }) => tables || columns)

/** What `feature:remove` writes for a feature whose migrations have run. */
async function droppingMigration(feature: (typeof features)[number]) {
  const workspace = new Workspace(app.makePath())
  const text = workspace.read(writeDroppingMigration(workspace, [feature], new Date()))
  await mkdir(app.tmpPath(), { recursive: true })
  const folder = await mkdtemp(join(app.tmpPath(), 'dropping-'))
  getActiveTest()!.cleanup(() => rm(folder, { recursive: true }))
  const file = join(folder, 'migration.ts')
  await writeFile(file, text)
  const { default: Migration } = await import(file)
  return Migration
}

test.group('Migrations that drop the tables of features', () => {
  test('{name}: it drops all of them, and a rollback makes them again')
    .with(features)
    .run(async ({ assert }, feature) => {
      const Migration = await droppingMigration(feature)
      const client = await db.transaction()
      const present = async () => {
        const tables = (feature.tables ?? []).map((table) => client.schema.hasTable(table))
        const columns = Object.entries(feature.columns ?? {}).flatMap(([table, names]) =>
          names.map((name) => client.schema.hasColumn(table, name))
        )
        return Promise.all([...tables, ...columns])
      }
      try {
        await new Migration(client, 'dropping').execUp()
        for (const one of await present()) assert.isFalse(one)
        await new Migration(client, 'dropping').execDown()
        for (const one of await present()) assert.isTrue(one)
      } finally {
        await client.rollback()
      }
    })
})
