import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'

test.group('Migrations', (group) => {
  group.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('{$self} keeps the schema classes, which the app needs to start')
    .with(['migration:rollback', 'migration:reset'])
    .run(async ({ assert }, name) => {
      const command = await ace.exec(name, ['--dry-run'])
      assert.equal(command.exitCode, 0)
      assert.isFalse((command as any).schemaGenerate)
    })

  test('migration:run writes them', async ({ assert }) => {
    const command = await ace.exec('migration:run', ['--dry-run'])
    assert.isTrue((command as any).schemaGenerate)
  })
})
