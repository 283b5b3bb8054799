import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { prune } from '#removal/code/prune'
import { hasPath } from '#removal/code/references'
import { withoutGone } from '#removal/steps/documents'
import { withoutVariables } from '#removal/steps/environment'
import { withoutMarked } from '#removal/steps/marks'
import { wordsToRemove } from '#removal/steps/words'
import { Workspace } from '#removal/workspace'
import { select } from '#removal/selection'

/** Code without the module `#keys/*`, the feature `keys` and, in tests, the path `/keys`. */
function pruned(code: string, path = 'app/file.ts') {
  return prune(path, code, code, {
    exportsOf: (specifier) => (specifier.startsWith('#keys/') ? 'all' : new Set()),
    isPath: (text) => text === 'docs/keys.md',
    asked: new Map([['feature', new Set(['keys'])]]),
    configs: new Set(['keys']),
    paths: new Set(['docs/keys.md']),
    guards: new Set(['key']),
    members: new Set(['controllers.Keys']),
    signs: ['/keys'],
  }).text
}

const IMPORT = `import { Keys } from '#keys/keys'\n`

test.group('Code without a feature', () => {
  test('{what}')
    .with([
      {
        what: 'a list loses the member that loads it',
        code: `export const list = [() => import('#keys/a'), () => import('#b')]`,
        left: `export const list = [() => import('#b')]`,
      },
      {
        what: 'a statement goes, with its import',
        code: `${IMPORT}Keys.start()\nrun()\n`,
        left: `run()\n`,
      },
      {
        what: 'an import goes that binds no name',
        code: `import '#keys/routes'\nimport '#routes'\nrun()\n`,
        left: `import '#routes'\nrun()\n`,
      },
      {
        what: 'a question for the feature goes with what depends on the answer',
        code: `if (manager.feature('keys')) {\n  routes()\n}\nrun()\n`,
        left: `run()\n`,
      },
      {
        what: 'an alternative stays',
        code: `export const count = manager.feature('keys')?.count ?? 0`,
        left: `export const count = 0`,
      },
      {
        what: 'an object loses neighbours whose values are gone',
        code: `const a = manager.feature('keys')\nconst b = manager.feature('keys')\nexport const list = () => ({ a: a?.x, b: b?.y })\n`,
        left: `export const list = () => ({  })\n`,
      },
      {
        what: 'a statement goes when the one file that it loads is gone',
        code: `mount('/a', () => import('#keys/a')).protect({})\nrun()\n`,
        left: `run()\n`,
      },
      {
        what: 'a function that returns early without it goes, with its calls',
        code: `function list() {\n  if (!manager.feature('keys')) {\n    return []\n  }\n  return [1]\n}\nexport const all = [...list(), 2]\n`,
        left: `export const all = [2]\n`,
      },
      {
        what: 'a route goes with its controller',
        code: `router.get('/a', [controllers.Keys, 'show'])\nrouter.get('/b', [controllers.B, 'show'])\n`,
        left: `router.get('/b', [controllers.B, 'show'])\n`,
      },
      {
        what: 'a row goes with the setting that it depends on',
        code: `export const notes = [[config.get('keys.store') === 'none', 'store'], [config.get('keyboard.a'), 'b']]`,
        left: `export const notes = [[config.get('keyboard.a'), 'b']]`,
      },
      {
        what: 'a preload goes with its file',
        code: `export const all = [{ file: () => import('#keys/a'), environment: ['web'] }, () => import('#b')]`,
        left: `export const all = [() => import('#b')]`,
      },
      {
        what: 'a list of files loses its file',
        code: `export const documents = ['docs/keys.md', 'docs/b.md']`,
        left: `export const documents = ['docs/b.md']`,
      },
      {
        what: 'a choice between two values is made',
        code: `const a = manager.feature('keys')\nexport const list = a?.length ? a : [1]\n`,
        left: `export const list = [1]\n`,
      },
      {
        what: 'what is done without it is done',
        code: `if (manager.feature('keys')) {\n  one()\n} else {\n  /* Why. */\n  other()\n  more()\n}\n`,
        left: `/* Why. */\n  other()\nmore()\n`,
      },
      {
        what: 'a list loses the path of a file that is gone',
        code: `export const list = ['docs/keys.md', 'docs/a.md']`,
        left: `export const list = ['docs/a.md']`,
      },
      {
        what: 'a list of guards loses its guard',
        code: `use({ guards: ['web', 'key'] })`,
        left: `use({ guards: ['web'] })`,
      },
      {
        what: 'what no other guard lets in goes, and is not left open',
        code: `mount('/a').use([first, auth({ guards: ['key'] })])\nif (a) {\n  run()\n} else {\n  mount('/b').use(auth({ guards: ['key'] }))\n}\n`,
        left: `if (a) {\n  run()\n}\n`,
      },
    ])
    .run(({ assert }, { code, left }) => assert.equal(pruned(code), left))

  test('a mount that others protect, too, loses the guard alone', ({ assert }) => {
    const code = `mount('/a').protect({ scopes: ['a'], guards: ['key'] })`
    assert.equal(pruned(code), `mount('/a').protect({ scopes: ['a'] })`)
  })

  test('a test that needs it goes as a whole, and a file without tests with it', ({ assert }) => {
    const one = `test('one', async () => {\n  await get('/keys/1')\n})\n`
    const other = `test('two', async () => {\n  await get('/keyboards')\n})\n`
    assert.equal(pruned(one + other, 'tests/functional/a.spec.ts'), other)
    assert.isNull(pruned(`test.group('Keys', () => {\n${one}})\n`, 'tests/functional/a.spec.ts'))
  })
})

test.group('Signs of a feature', () => {
  test('{text} is about /keys')
    .with(['/keys', '/keys/1?x=y', 'POST /keys', '`${url}/keys`'].map((text) => ({ text })))
    .run(({ assert }, { text }) => assert.isTrue(hasPath(text, '/keys')))

  test('{text} is not about /keys')
    .with(['/keyboards', '/rings/keys', 'tests/keys', '/keys.ts'].map((text) => ({ text })))
    .run(({ assert }, { text }) => assert.isFalse(hasPath(text, '/keys')))

  test('a unit test stays, because it calls no route', ({ assert }) => {
    const code = `test('one', () => parse('/keys'))\n`
    assert.equal(pruned(code, 'tests/unit/a.spec.ts'), code)
  })
})

test.group('Texts without a feature', () => {
  test('a marked part goes, and those of others stay', ({ assert }) => {
    const text = 'a\n{{-- feature: keys --}}\nb\n{{-- /feature --}}\n# feature: x\nc\n# /feature'
    assert.equal(withoutMarked(text, new Set(['keys'])), 'a\n# feature: x\nc\n# /feature')
  })

  test('a row goes without leaving a gap, other text by sentences', ({ assert }) => {
    const text = '| a |\n|---|\n| gone |\n| b |\n\nThis stays. This is gone. So does this.\n'
    const left = '| a |\n|---|\n| b |\n\nThis stays. So does this.'
    assert.equal(withoutGone(text, (part) => part.includes('gone')).trim(), left)
  })

  test('a part between two empty lines leaves one', ({ assert }) => {
    const text = 'a\n\n# feature: keys\nb\n# /feature\n\nc'
    assert.equal(withoutMarked(text, new Set(['keys'])), 'a\n\nc')
  })

  test('a variable of a container goes, too', ({ assert }) => {
    assert.equal(withoutVariables('    A: 1\n    B: 2\n', new Set(['B'])), '    A: 1\n')
  })

  test('a variable goes with the comment above it', ({ assert }) => {
    const text = '# one\nA=1\n# two\nB=2\n'
    assert.equal(withoutVariables(text, new Set(['B'])), '# one\nA=1\n')
  })
})

test.group('Words without a feature', () => {
  test('those that nothing names go, in the order that the file has, with groups that are empty', ({
    assert,
  }) => {
    const workspace = new Workspace(app.makePath())
    const path = 'resources/lang/en/pages.json'
    workspace.write(
      path,
      '{\n  "b": { "kept": "x" },\n  "404": { "a": "y", "keys": { "z": "z" } }\n}\n'
    )
    wordsToRemove(workspace)(['pages.404.keys.z'])
    assert.equal(workspace.read(path), '{\n  "b": { "kept": "x" },\n  "404": { "a": "y" }\n}\n')
  })
})

test.group('What is taken out', () => {
  const all = [
    { name: 'auth', title: '', core: true, files: [] },
    { name: 'login', title: '', files: [] },
    { name: 'keys', title: '', files: [], needs: ['login'] },
  ]

  test('goes with what needs it, and the needing one first', ({ assert }) => {
    const { removed, dependent } = select(all, ['login'])
    assert.deepEqual(
      removed.map(({ name }) => name),
      ['keys', 'login']
    )
    assert.deepEqual(
      dependent.map(({ name }) => name),
      ['keys']
    )
  })

  test('an unknown feature and a necessary one are refused', ({ assert }) => {
    assert.throws(() => select(all, ['nothing']), /There is no feature "nothing"/)
    assert.throws(() => select(all, ['auth']), /"auth" cannot be taken out/)
  })
})
