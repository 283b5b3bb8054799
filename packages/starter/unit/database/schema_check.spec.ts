import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import SqliteDatabase from 'better-sqlite3'
import { getActiveTest, test } from '@japa/runner'

import { configureSqlite } from '#kit/database/sqlite'
import { SchemaCheck, timely } from '#kit/database/health_checks'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'schema-'))
  getActiveTest()!.cleanup(() => rm(path, { recursive: true, force: true }))
  return path
}

const check = (migrations: string, file: string | null = null) =>
  new SchemaCheck(db.connection(), migrations, file).run()

test.group('Check of the schema', () => {
  test('is well when every migration has run', async ({ assert }) => {
    assert.equal((await check(app.migrationsPath())).status, 'ok')
    assert.equal((await check(await folder())).status, 'ok')
  })

  test('fails when a migration has not run that is older than one that has', async ({ assert }) => {
    const migrations = await folder()
    const [newest] = await db.from('adonis_schema').orderBy('name', 'desc').limit(1)
    await writeFile(join(migrations, `${basename(newest.name)}.ts`), '')
    assert.equal((await check(migrations)).status, 'ok')
    await writeFile(join(migrations, '2020_01_01_000001_create_old_table.js'), '')
    await writeFile(join(migrations, '2020_01_01_000001_create_old_table.d.ts'), '')
    const { status, message } = await check(migrations)
    assert.equal(status, 'error')
    assert.equal(message, 'The migration 2020_01_01_000001_create_old_table has not run')
  })

  test('fails when no migration has run, as on an empty database', async ({ assert }) => {
    const migrations = await folder()
    await writeFile(join(migrations, '2030_01_01_000001_create_things_table.ts'), '')
    const { status, message } = await check(migrations)
    assert.equal(status, 'error')
    assert.include(message, '2030_01_01_000001_create_things_table')

    db.manager.add('empty_for_check', {
      client: 'better-sqlite3',
      connection: { filename: ':memory:' },
      useNullAsDefault: true,
    })
    const empty = new SchemaCheck(db.connection('empty_for_check'), app.migrationsPath(), null)
    assert.equal((await empty.run()).status, 'error')
    await db.manager.close('empty_for_check', true)
  })

  test('fails when the SQLite file was {name}')
    .with([
      { name: 'deleted', lose: (file: string) => rename(file, `${file}.gone`) },
      {
        name: 'replaced',
        lose: async (file: string) => {
          await rename(file, `${file}.gone`)
          await writeFile(file, '')
        },
      },
    ])
    .run(async ({ assert }, { lose }) => {
      const file = join(await folder(), 'db.sqlite3')
      const connection = new SqliteDatabase(file)
      getActiveTest()!.cleanup(async () => {
        await rename(`${file}.gone`, file)
        connection.close()
      })
      configureSqlite(connection, () => {})
      assert.equal((await check(app.migrationsPath(), file)).status, 'ok')
      await lose(file)
      assert.equal((await check(app.migrationsPath(), file)).status, 'error')
    })
})

test.group('Check of a database', () => {
  test('fails without an answer in time, and tells every earlier one', async ({ assert }) => {
    const silent = { name: 'Silent', run: () => new Promise<never>(() => {}) }
    assert.equal((await timely(silent, 1).run()).status, 'error')
    const schema = new SchemaCheck(db.connection(), app.migrationsPath(), null)
    assert.equal((await timely(schema).run()).status, 'ok')
  })
})
