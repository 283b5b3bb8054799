import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { commandsOf } from '#removal/steps/documents'
import { sentencesToRemove } from '#removal/steps/sentences'
import { Workspace } from '#removal/workspace'

const PAGE = 'docs/troubleshooting.md'

/** The rows of a page when a file is gone that prints "no zebras" and "no … giraffe". */
function rowsWithout(rows: string[]): string[] {
  const workspace = new Workspace(app.makePath())
  workspace.write('commands/keys.ts', `fail('no ' + 'zebras')\nfail(\`no \${name} giraffe\`)`)
  workspace.write('commands/doors.ts', `fail("no \\"doors\\"")`)
  workspace.write(PAGE, rows.join('\n'))
  const remove = sentencesToRemove(workspace)
  workspace.remove('commands/keys.ts')
  remove()
  return workspace.read(PAGE).split('\n')
}

test.group('Error sentences without a feature', () => {
  test('a row loses those that nothing prints any more, and goes with the last', ({ assert }) => {
    const both = '| `no zebras`<br>`no "doors"`<br>`no … giraffe` | Make one. |'
    assert.deepEqual(rowsWithout([both, '| `no zebras` | Make one. |']), [
      '| `no "doors"` | Make one. |',
    ])
  })

  test('what no code has printed before stays', ({ assert }) => {
    const rows = ['| Sentence | What to do |', '|---|---|', '| `not of ours at all` | Look. |']
    assert.deepEqual(rowsWithout(rows), rows)
  })
})

test.group('Commands without a feature', () => {
  test('are known by what people type', ({ assert }) => {
    const code = `export default class Keys {\n  static commandName = 'keys:list'\n}`
    assert.deepEqual(commandsOf([code, 'export const a = 1']), ['node ace keys:list '])
  })
})
