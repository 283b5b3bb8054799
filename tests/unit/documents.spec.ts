import { access, readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const read = (path: string) => readFile(app.makePath(path), 'utf8')
const exists = (path: string) =>
  access(app.makePath(path)).then(
    () => true,
    () => false
  )

/** Files and folders that a document names in backticks. */
const PATH =
  /`((?:\.ci|app|bin|commands|config|database|eslint|modules|providers|start|tests)\/[\w./-]*)`/g

test.group('Documents', () => {
  test('{$self} names files that exist')
    .with(['README.md', 'CONTRIBUTING.md', 'SECURITY.md'])
    .run(async ({ assert }, document) => {
      const text = await read(document)
      for (const [, path] of text.matchAll(PATH)) {
        assert.isTrue(await exists(path!), `${document} names ${path}`)
      }
    })

  test('every promise of SECURITY.md is held by a test of that title', async ({ assert }) => {
    const rows = [
      ...(await read('SECURITY.md')).matchAll(/^\| [^|]+ \| `(tests\/[^`]+)` \| (.+) \|$/gm),
    ]
    assert.isAbove(rows.length, 20)
    for (const [, file, title] of rows) {
      const text = await read(file!)
      assert.isTrue(
        [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) =>
          text.includes(`test(${quoted}`)
        ),
        `${file} has the test "${title}"`
      )
    }
  })
})
