import { test } from '@japa/runner'
import ts from 'typescript'

import { MUTATIONS } from '#starter/promises/mutations'
import { placeOf } from '#starter/promises/places'

const complaintsAbout = (code: string) =>
  ts.transpileModule(`(${code})`, { reportDiagnostics: true }).diagnostics!.length

test.group('The ways to break a promise', () => {
  const changes = MUTATIONS.flatMap(({ and, ...change }) => [change, ...(and ? [and] : [])])

  test('are expressions that stand in the sources once', ({ assert }) => {
    for (const change of changes) {
      assert.doesNotThrow(() => placeOf(change))
      assert.equal(complaintsAbout(change.code), 0, change.code)
      assert.equal(complaintsAbout(change.broken), 0, change.broken)
    }
  })
})
