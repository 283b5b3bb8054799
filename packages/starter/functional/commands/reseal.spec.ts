import { mkdir, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import AuthKey from 'adonis-auth-kit/commands/auth_key'
import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import { keepLogs, runCommand } from '#starter/helpers/commands'
import { pageBlocks } from '#starter/helpers/document_blocks'
import { isolate, useConfig } from '#starter/helpers/oauth'
import { fieldsOf, useOrganisations } from '#starter/helpers/organisations'
import { turnOn } from '#starter/helpers/two_factor'

const SEALED = [
  ['two_factor_secrets', 'secret'],
  ['organisation_providers', 'client_secret'],
  ['oauth_keys', 'sealed'],
] as const

const sealedTexts = () =>
  Promise.all(
    SEALED.map(async ([table, column]) => (await db.from(table)).map((row) => row[column]))
  )

/** Runs the command that the page has a fork write. */
async function reseal() {
  const blocks = pageBlocks('docs/deploying.md')
  const { code } = blocks.find((block) => block.code.startsWith('// commands/reseal.ts'))!
  const file = app.tmpPath('reseal.ts')
  await mkdir(app.tmpPath(), { recursive: true })
  await writeFile(file, code)
  getActiveTest()!.cleanup(() => rm(file, { force: true }))
  const { default: Reseal } = await import(pathToFileURL(file).href)
  return runCommand(Reseal)
}

test.group('node ace reseal, of the page on deploying', (group) => {
  group.each.setup(isolate)
  /* What other tests have left; the end of the test brings it back. */
  group.each.setup(async () => {
    for (const [table] of SEALED) await db.from(table).delete()
  })
  group.each.setup(keepLogs)

  test('encrypts anew what the database holds, each for what it is opened for', async ({
    assert,
  }) => {
    await turnOn(await UserFactory.create())
    const social = await useOrganisations()
    await social.organisations.add(fieldsOf(social), null)
    const instance = new DatabaseKeyStore(() => db.connection())
    await useConfig({ keys: { store: 'instance', instance } })
    await runCommand(AuthKey, ['make', '--now'])
    const before = await sealedTexts()
    assert.deepEqual(
      before.map((texts) => texts.length),
      [1, 1, 1]
    )

    const command = await reseal()
    command.assertSucceeded()
    const after = await sealedTexts()
    after.forEach((texts, at) => assert.notDeepEqual(texts, before[at], SEALED[at]![0]))
  })

  test('leaves what opens with neither key, and fails', async ({ assert }) => {
    await turnOn(await UserFactory.create())
    await db.from('two_factor_secrets').update({ secret: 'sealed elsewhere' })
    const command = await reseal()
    command.assertFailed()
    assert.deepEqual(await sealedTexts(), [['sealed elsewhere'], [], []])
  })
})
