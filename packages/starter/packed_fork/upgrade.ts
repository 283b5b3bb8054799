import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { execute } from '#starter/helpers/execute'
import { installPacked } from '#starter/helpers/packed_kit'

/** What the next version brings: a migration of a feature that is on, and one of a feature that was removed. */
const NEW = {
  'auth-session': 'database/migrations/2099_01_01_000001_create_of_sessions_table.ts',
  'mcp': 'database/migrations/2099_01_01_000002_create_of_mcp_table.ts',
}

const MIGRATION = `import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('of_next_version', (table) => table.increments('id'))
  }

  async down() {
    this.schema.dropTable('of_next_version')
  }
}
`

/** Packs the same kit as its next version, in the folder of the tarball. */
async function packNext(tarball: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'next-kit-'))
  await execute('tar', ['xzf', tarball], { cwd: folder })
  const manifest = join(folder, 'package/package.json')
  const content = JSON.parse(await readFile(manifest, 'utf8'))
  await writeFile(manifest, JSON.stringify({ ...content, version: '99.0.0' }))
  for (const [feature, path] of Object.entries(NEW)) {
    await writeFile(join(folder, `package/stubs/publish/${feature}/${path}.stub`), MIGRATION)
  }
  const next = `${tarball}.next.tgz`
  await execute('tar', ['czf', next, 'package'], { cwd: folder })
  await rm(folder, { recursive: true })
  return next
}

/** Takes features out of a fork whose database has them, and brings the fork to the next version of the kit. */
export async function upgradeWithoutFeatures(fork: string, tarball: string) {
  const ace = async (...args: string[]) => {
    const { output } = await execute(process.execPath, ['ace.js', ...args], { cwd: fork })
    return output
  }
  await ace('migration:run')
  await ace('feature:remove', 'mcp', 'json_api', '--yes')
  await ace('migration:run')

  await installPacked(fork, await packNext(tarball), resolve('node_modules'))
  await ace('kit:upgrade')
  assert.ok(existsSync(join(fork, NEW['auth-session'])))
  assert.ok(!existsSync(join(fork, NEW.mcp)), 'nothing of a removed feature comes back')
  assert.match(await ace('migration:run'), /migrated .*2099_01_01_000001/)
  assert.match(await ace('kit:upgrade'), /There are no new migrations/)
}
