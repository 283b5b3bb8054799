import { test } from '@japa/runner'

import { withoutGuards, withoutItems, withoutMarked, withoutUnusedImports } from '#kit/removal/code'
import { removedFeatures, withRecord, withoutLinks } from '#kit/removal/removal'

/** A text without its layout, which the formatter makes. */
const bare = (text: string) => text.replaceAll(/\s+|,(?=\s*[\])}])/g, '')

const GONE = ['#doors/door', 'limits/knocks', 'DOORS', 'DOORS_MAX', 'doors:open']
const cut = (text: string) =>
  withoutItems(text, (name, path) => GONE.includes(name) || GONE.includes(path))

test.group('What a shared file loses with a feature', () => {
  test('{title}')
    .with([
      {
        title: 'a file that a list loads',
        before: `export default [\n  () => import('#bell'),\n  () => import('#doors/door'),\n]`,
        after: `export default [\n  () => import('#bell'),\n]`,
      },
      {
        title: 'an item with a name, or around the file that it loads',
        before: `use({\n  door: () => import('#doors/door'),\n}, [\n  {\n    file: () => import('#doors/door'),\n    on: ['web'],\n  },\n  { file: () => import('#doors/door'), on: ['web'] },\n])`,
        after: `use({\n}, [\n])`,
      },
      {
        title: 'a setting with its comment, all its lines and blank ones between them',
        before: `export default {\n  limits: {\n    /** How often. */\n    knocks: {\n      a: 1,\n\n      b: 2,\n    },\n    rings: 3,\n  },\n}`,
        after: `export default {\n  limits: {\n    rings: 3,\n  },\n}`,
      },
      {
        title: 'a name in quotes',
        before: `const scopes = {\n  'doors:open': 'Open doors',\n  'bells:ring': 'Ring',\n}`,
        after: `const scopes = {\n  'bells:ring': 'Ring',\n}`,
      },
      {
        title: 'variables with their comments, also those that are commented out',
        before: `A=1\n# Doors\n# or windows\nDOORS=2\n#DOORS_MAX=3\nB=4`,
        after: `A=1\nB=4`,
      },
      {
        title: 'a variable with its comment in a frame, as AdonisJS writes one',
        before: `create({\n  /*\n  |-----\n  | Doors\n  |-----\n  */\n  DOORS: text(),\n  DOORS_MAX: number(),\n})`,
        after: `create({\n})`,
      },
      {
        title: 'nothing of the same name elsewhere',
        before: `export default {\n  knocks: 1,\n  other: {\n    knocks: 2,\n  },\n}`,
        after: `export default {\n  knocks: 1,\n  other: {\n    knocks: 2,\n  },\n}`,
      },
      {
        title: 'nothing that only mentions it',
        before: `const Door = () => import('#doors/door')\nimport door from '#doors/door'\nopen(door, 'DOORS')`,
        after: `const Door = () => import('#doors/door')\nimport door from '#doors/door'\nopen(door, 'DOORS')`,
      },
    ])
    .run(({ assert }, { before, after }) => assert.equal(cut(`${before}\n`), `${after}\n`))
})

test.group('What code loses with a feature', () => {
  test('guards in lists that name others, too', ({ assert }) => {
    const without = (text: string) => withoutGuards(text, ['api', 'oauth'])
    assert.equal(without(`auth({ guards: ['api', 'web', 'oauth'] })`), `auth({ guards: ['web'] })`)
    assert.equal(
      without(`const guards = ['web', 'api'] as const`),
      `const guards = ['web'] as const`
    )
    assert.equal(
      without(`auth({ guards: ['apis'] }, 'api', 'web')`),
      `auth({ guards: ['apis'] }, 'api', 'web')`
    )
  })

  test('no guard that is the only one of a list: the compiler names it', ({ assert }) => {
    const text = `route.use(auth({ guards: ['api'] }))`
    assert.equal(withoutGuards(text, ['api', 'oauth']), text)
  })

  test('imports that nothing uses; not those for their effect or their types', ({ assert }) => {
    const text = `/* House */\n\nimport Door, { open } from '#doors'\nimport { a, b } from '#env'\nimport type {} from '#types'\nimport '#effect'\n\nb()\n`
    const after = `/* House */\n\nimport { b } from '#env'\nimport type {} from '#types'\nimport '#effect'\n\nb()\n`
    assert.equal(bare(withoutUnusedImports('house.ts', text)), bare(after))
  })
})

test.group('What a document loses with a feature', () => {
  const without = (text: string) => withoutLinks(text, (target) => target === 'doors.md')

  test('links to its pages: their words stay', ({ assert }) => {
    assert.equal(
      without('See [the\ndoors](doors.md#open), [bells](bells.md) or [`keys`](doors.md).'),
      'See the\ndoors, [bells](bells.md) or `keys`.'
    )
  })

  test('rows that are about its pages; not those that mention them', ({ assert }) => {
    const rows = ['[Doors](doors.md) | to open', '[Bells](bells.md) | for [doors](doors.md)']
    const table = (lines: string[]) => lines.map((line) => `| ${line} |\n`).join('')
    assert.equal(without(table(rows)), table(['[Bells](bells.md) | for doors']))
  })
})

test.group('What other texts lose with a feature', () => {
  test('what stands between its marks, also inside those of another', ({ assert }) => {
    const text = 'a\n// feature: x\nb\n// feature: y\nc\n// /feature\n// /feature\nd'
    assert.equal(withoutMarked(text, ['x']), 'a\nd')
    assert.notInclude(withoutMarked(text, ['y']), 'c')
    assert.include(withoutMarked(text, ['y']), 'b')
  })

  test('what is of several features, with the last of them', ({ assert }) => {
    const text = 'a\n{{-- feature: x y --}}\nb\n{{-- /feature --}}\nc'
    assert.equal(withoutMarked(text, ['x']), text)
    assert.equal(withoutMarked(text, ['y', 'x']), 'a\nc')
  })

  test('adonisrc.ts remembers what is gone, once', ({ assert }) => {
    const once = withRecord('export default 1\n', ['api_token', 'mcp'])
    const twice = withRecord(once, ['api_token', 'mcp', 'posts'])
    assert.deepEqual(removedFeatures(twice), ['api_token', 'mcp', 'posts'])
    assert.lengthOf(twice.match(/removedFeatures/g)!, 1)
    assert.isTrue(twice.startsWith('export default 1\n\n/**'))
    assert.deepEqual(removedFeatures('export default 1'), [])
  })
})
