import { test } from '@japa/runner'

import { PROGRAMS } from '#starter/matrix/programs'
import { versionOf, writtenTable } from '#starter/matrix/table'

const WAYS = ['metadata document', 'dynamic registration', 'registered by you']

test.group('Which programs connect', () => {
  test('docs/mcp.md says of every program, in the version that is tried, how it went in all ways', ({
    assert,
  }) => {
    const [, , ...rows] = writtenTable().split('\n')
    for (const program of PROGRAMS) {
      const own = rows.filter((row) => row.startsWith(`| ${program.name} ${versionOf(program)} |`))
      const ways = own.flatMap((row) => row.split(' | ')[2]!.split(', '))
      assert.sameMembers(ways, WAYS, program.name)
    }
    assert.notInclude(rows.join(), 'fails')
  })
})
