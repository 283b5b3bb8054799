import { test } from '@japa/runner'

import { isBare } from '../../../bin/bare_commands.js'

test.group('Commands that run without the application', () => {
  test('{$self}')
    .with([
      'migration:run',
      'migration:rollback --batch=0',
      'migration:fresh',
      'schema:generate',
      'make:migration notes',
      'make:validator note',
      'db:prepare --fresh',
      'db:wipe',
    ])
    .run(({ assert }, line) => assert.isTrue(isBare(line.split(' '))))

  test('not {$self}')
    .with(['db:seed', 'migration:fresh --seed', 'codegen', 'list:routes', ''])
    .run(({ assert }, line) => assert.isFalse(isBare(line.split(' '))))
})
