import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { FEATURES } from '#kit/removal/features'
import { planRemoval, removedFeatures, select } from '#kit/removal/removal'

const ROOT = app.makePath()
const names = Object.keys(FEATURES)
const migrations = globSync('database/migrations/*.ts', { cwd: ROOT })
const ran = new Set(migrations.map((path) => path.replace('.ts', '')))
const planOf = (name: string) => planRemoval(ROOT, select([name]), new Set())

/** Keys of words, and of the groups that they are in. */
const wordsOf = (json: string): string[] => {
  const below = (words: object, path: string): string[] =>
    Object.entries(words).flatMap(([name, word]) => [
      `${path}.${name}`,
      ...(typeof word === 'object' ? below(word, `${path}.${name}`) : []),
    ])
  return json ? below(JSON.parse(json), 'pages') : []
}

test.group('The list of features', () => {
  test('{$self}: every pattern of it finds something here')
    .with(names)
    .run(({ assert }, name) => {
      const { files = '' } = FEATURES[name]!
      for (const one of files.split(/\s+/).filter(Boolean)) {
        assert.isNotEmpty(globSync(one, { cwd: ROOT }), one)
      }
    })

  test('{$self}: its packages are installed, and go with it')
    .with(names.filter((name) => FEATURES[name]!.packages))
    .run(({ assert }, name) => {
      const packages = FEATURES[name]!.packages!.split(/\s+/)
      const installed = (text: string) => Object.keys(JSON.parse(text).dependencies)
      const text = readFileSync(app.makePath('package.json'), 'utf8')
      assert.includeMembers(installed(text), packages)
      const left = installed(planOf(name).files.get('package.json')!)
      assert.isEmpty(packages.filter((one) => left.includes(one)))
    })

  test('{$self}: nothing of it is left for a person')
    .with(names)
    .run(({ assert }, name) => {
      const ours = planOf(name).byHand.filter((line) => !line.startsWith('tests/'))
      assert.deepEqual(ours, [])
    })

  test('{$self}: no setting names a scope or an ability of it')
    .with(names)
    .run(({ assert }, name) => {
      const { files } = planRemoval(ROOT, select([name]), new Set())
      for (const path of globSync('config/*.ts', { cwd: ROOT })) {
        const text = files.has(path) ? files.get(path) : readFileSync(app.makePath(path), 'utf8')
        assert.notInclude(text ?? '', `'${name}:`, path)
      }
    })

  test('{title}: no link of a document that stays leads to what is gone')
    .with([...names.map((name) => ({ title: name, gone: [name] })), { title: 'all', gone: names }])
    .run(({ assert }, { gone }) => {
      const { files } = planRemoval(ROOT, select(gone), new Set())
      const there = [...files].flatMap(([path, text]) => (text === null ? [path] : []))
      for (const path of globSync(['*.md', 'docs/*.md', '.agents/**/*.md'], { cwd: ROOT })) {
        const text =
          files.get(path) ?? (files.has(path) ? '' : readFileSync(app.makePath(path), 'utf8'))
        for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
          assert.notInclude(there, join(dirname(path), target!), path)
        }
      }
    })

  test('every table that a migration makes is the users table, or a removal drops it', ({
    assert,
  }) => {
    const made = migrations.flatMap((path) =>
      [
        ...readFileSync(app.makePath(path), 'utf8').matchAll(
          /(?:createTable\(|tableName = )'(\w+)'/g
        ),
      ]
        .filter(() => /_create_/.test(path))
        .map(([, table = '']) => table)
    )
    const { files } = planRemoval(ROOT, names, ran)
    const [, text] = [...files].find(([path]) => path.includes('_drop_'))!
    const dropped = [...text!.matchAll(/dropTableIfExists\('(\w+)'/g)].map(([, table]) => table!)
    assert.sameMembers([...new Set(made)], ['users', ...dropped])
  })

  test('{title}: no words are left that only its pages said')
    .with([...names.map((name) => ({ title: name, gone: [name] })), { title: 'all', gone: names }])
    .run(({ assert }, { gone }) => {
      const { files } = planRemoval(ROOT, select(gone), new Set())
      const left = (path: string) =>
        files.has(path) ? (files.get(path) ?? '') : readFileSync(app.makePath(path), 'utf8')
      const sources = globSync('{app,commands,config,providers,resources/views,start}/**/*.*', {
        cwd: ROOT,
      })
      const kit = globSync('packages/kit/{src,providers,resources/views}/**/*.*', { cwd: ROOT })
      const isSaid = (key: string, read: (path: string) => string) =>
        [...sources, ...kit].some((path) => read(path).includes(key))
      const before = (path: string) => readFileSync(app.makePath(path), 'utf8')
      const lost = wordsOf(left('resources/lang/en/pages.json')).filter(
        (key) => isSaid(key, before) && !isSaid(key, left)
      )
      assert.deepEqual(lost, [])
    })

  test('each mark in a shared file names features, and has an end', ({ assert }) => {
    const files = globSync('{app,commands,config,providers,start,resources}/**/*.{ts,edge}', {
      cwd: ROOT,
    })
    for (const path of files) {
      const text = readFileSync(app.makePath(path), 'utf8')
      const begins = [...text.matchAll(/^\s*(?:\{\{--|\/\*|\/\/) feature: ([\w ]*\w)/gm)]
      begins.forEach(([, marked = '']) => assert.includeMembers(names, marked.split(' '), path))
      assert.lengthOf(
        [...text.matchAll(/^\s*(?:\{\{--|\/\*|\/\/) \/feature\b/gm)],
        begins.length,
        path
      )
    }
  })

  test('with all of them gone, no migration but those of users are left, and no key of a limit', ({
    assert,
  }) => {
    const { files } = planRemoval(ROOT, names, new Set())
    const left = migrations.filter((path) => files.get(path) !== null)
    assert.deepEqual(left, [
      'database/migrations/2026_09_30_000000_create_users_table.ts',
      'database/migrations/2026_11_23_000110_add_language_to_users_table.ts',
    ])
    assert.isNull(files.get('config/throttle.ts'))
  })

  test('the first guard that is left takes the place of a default one that is gone', ({
    assert,
  }) => {
    const without = (...gone: string[]) =>
      planRemoval(ROOT, gone, new Set()).files.get('config/auth.ts')
    assert.include(without('session'), "guard: 'api',")
    assert.include(without('session', 'api_token'), "guard: 'oauth',")
    assert.notInclude(without('session', 'api_token', 'oauth2'), 'guard:')
  })

  test('of what has run everything stays, and a migration drops it', ({ assert }) => {
    const { files } = planRemoval(ROOT, ['passkeys'], ran)
    const path = [...files.keys()].find((one) => one.startsWith('database/migrations'))!
    const text = files.get(path)!
    assert.match(path, /^database\/migrations\/\d{4}_\d\d_\d\d_\d{6}_drop_passkeys\.ts$/)
    assert.include(text, `dropTableIfExists('passkeys')`)
    assert.include(text, '"2026_11_21_000032_create_passkeys_table"')
  })
})

test.group('What goes from an application with a past', (group) => {
  const root = app.makePath(`tmp/removals-${process.pid}`)
  const USED_ONCE = 'database/migrations/2026_11_23_000120_create_used_once_table.ts'

  group.each.setup(() => {
    for (const path of ['adonisrc.ts', 'config/auth.ts', 'database/migrations']) {
      cpSync(app.makePath(path), `${root}/${path}`, { recursive: true })
    }
    return () => rmSync(root, { recursive: true })
  })

  /** Carries a removal out, as far as migrations go, and answers with what it drops. */
  function drop(...features: string[]) {
    const { files } = planRemoval(root, features, ran)
    const [path, text] = [...files].find(([one]) => one.includes('_drop_')) ?? []
    if (path) writeFileSync(`${root}/${path}`, text!)
    const record = files.get('adonisrc.ts')
    if (record) writeFileSync(`${root}/adonisrc.ts`, record)
    return [...(text ?? '').matchAll(/dropTableIfExists\('(\w+)'/g)].map(([, table]) => table)
  }

  test('what an earlier one drops is not dropped again', ({ assert }) => {
    assert.deepEqual(drop('passkeys'), ['passkeys'])
    assert.notInclude(drop('passkeys', 'two_factor'), 'passkeys')
    assert.isEmpty(drop('passkeys'))
  })

  test('files whose lines end in "\\r\\n" lose the same, and keep them so', ({ assert }) => {
    const windows = (text: string) => text.replaceAll('\n', '\r\n')
    const planned = [...planRemoval(ROOT, ['oauth2'], new Set()).files.keys()]
    const plan = (lines: (text: string) => string) => {
      for (const path of ['config/auth.ts', ...planned]) {
        mkdirSync(dirname(`${root}/${path}`), { recursive: true })
        writeFileSync(`${root}/${path}`, lines(readFileSync(app.makePath(path), 'utf8')))
      }
      return planRemoval(root, ['oauth2'], new Set())
    }
    const expected = plan((text) => text)
    const { files, byHand } = plan(windows)
    assert.deepEqual(byHand, expected.byHand)
    for (const [path, text] of expected.files) {
      assert.equal(files.get(path), text && windows(text), path)
    }
    assert.sameMembers([...files.keys()], planned)
    writeFileSync(`${root}/adonisrc.ts`, files.get('adonisrc.ts')!)
    const again = planRemoval(root, ['metrics'], ran).files.get('adonisrc.ts')!
    assert.deepEqual(removedFeatures(again), ['metrics', 'oauth2'])
    assert.lengthOf(again.match(/removedFeatures/g)!, 1)
  })

  test('code of the application’s own stays, and is named', ({ assert }) => {
    const own = `export default {\n  load: () => import('#models/post'),\n  posts: 1,\n}\n`
    const paths = ['config/shop.ts', 'start/shop.ts']
    mkdirSync(`${root}/start`)
    paths.forEach((path) => writeFileSync(`${root}/${path}`, own))
    cpSync(app.makePath('app/models'), `${root}/app/models`, { recursive: true })
    const { files, byHand } = planRemoval(root, ['posts'], ran)
    paths.forEach((path) => {
      assert.isFalse(files.has(path), path)
      assert.include(byHand, `${path}: '#models/post'`)
    })
  })

  test('what several features publish goes with the last of them', ({ assert }) => {
    assert.notInclude(drop('passkeys'), 'used_once')
    assert.notInclude(drop('social'), 'used_once')
    assert.include(drop('oauth2'), 'used_once')
    assert.isFalse(planRemoval(root, ['session'], ran).files.has(USED_ONCE))
  })
})

test.group('Which features go', () => {
  test('those that need one go with it', ({ assert }) => {
    assert.deepEqual(select(['json_api']), ['posts', 'json_api'])
    assert.deepEqual(select(['session']), [
      ...['passwords', 'email_verification', 'two_factor', 'passkeys', 'mail_code', 'social'],
      ...['security_log', 'workspaces', 'oauth2', 'session'],
    ])
    assert.deepEqual(select(['email_verification']), ['email_verification', 'social'])
    assert.deepEqual(select(['mcp', 'mcp']), ['mcp'])
  })

  test('a name that no feature has is refused, and so is none', ({ assert }) => {
    assert.throws(() => select(['mcp', 'msp']), /There is no feature "msp"\. .*posts, json_api/)
    assert.throws(() => select([]), /Name the features/)
  })

  test('those that are out are not offered, and may go once more', ({ assert }) => {
    assert.throws(() => select([], ['posts', 'mcp']), /can be taken out: json_api, openapi, /)
    assert.deepEqual(select(['mcp'], ['posts', 'mcp']), ['mcp'])
  })
})
