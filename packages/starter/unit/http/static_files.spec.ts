import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { getActiveTest, test } from '@japa/runner'

import { StaticFiles } from '#kit/http/static_files'

/** A public folder with a file, and with the page of a folder in it. */
async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'public-'))
  getActiveTest()!.cleanup(() => rm(path, { recursive: true }))
  await mkdir(join(path, 'docs'))
  await writeFile(join(path, 'app.css'), 'body {}')
  await writeFile(join(path, 'docs', 'index.html'), '')
  return path
}

test.group('Static files', () => {
  test('are those that the folder held, at any depth', async ({ assert }) => {
    const files = StaticFiles.in(await folder())
    for (const path of ['/app.css', '/docs/index.html', '/docs/', '/%61pp.css']) {
      assert.isTrue(files.mayHave(path), path)
    }
    for (const path of ['/', '/docs', '/other.css', '/%']) {
      assert.isFalse(files.mayHave(path), path)
    }
  })

  test('are none in a folder that is missing, and may be any where they may change', ({
    assert,
  }) => {
    assert.isFalse(StaticFiles.in(join(tmpdir(), 'no-such-folder')).mayHave('/app.css'))
    assert.isTrue(new StaticFiles(null).mayHave('/app.css'))
  })

  test('have an address with their fingerprint, where they do not change', async ({ assert }) => {
    const path = await folder()
    const files = StaticFiles.in(path)
    const digest = createHash('sha256').update('body {}').digest('base64url')
    const address = `/app.css?v=${digest.slice(0, 12)}`
    assert.equal(files.addressOf('/app.css'), address)
    await writeFile(join(path, 'app.css'), 'p {}')
    assert.equal(files.addressOf('/app.css'), address)
    assert.equal(files.addressOf('/other.css'), '/other.css')
    assert.equal(new StaticFiles(null, path).addressOf('/app.css'), '/app.css')
  })
})
