import { test } from '@japa/runner'

import {
  type Gone,
  withoutGone,
  withoutMarked,
  withoutUnused,
  withoutVariables,
} from '#kit/removal/code'
import { removedFeatures, withRecord } from '#kit/removal/removal'

const GONE: Gone = {
  files: new Set(['docs/doors.md']),
  guards: new Set(['api']),
  imports: (specifier) => specifier.startsWith('#doors/'),
  key: (_path, key) => key === 'limits/knocks',
}

/** A text without its layout, which the formatter makes. */
const bare = (text: string) => text.replaceAll(/\s+|,(?=\s*[\])}])/g, '')

function cut(text: string) {
  const { text: rest, left } = withoutGone('app/house.ts', text, GONE)
  return { text: withoutUnused(rest, text), left }
}

test.group('What code loses with a feature', () => {
  test('{title}')
    .with([
      {
        title: 'an import, and items of lists that use it',
        before: `import Door from '#doors/door'\nimport Bell from '#bell'\nexport default [Door, Bell, Door]`,
        after: `import Bell from '#bell' export default [ Bell, ]`,
      },
      {
        title: 'an item with an import of its own, whole',
        before: `export default [() => import('#bell'), { file: () => import('#doors/a'), on: ['web'] }]`,
        after: `export default [() => import('#bell'), ]`,
      },
      {
        title: 'an argument of together()',
        before: `use(together(() => import('#doors/a'), () => import('#bell')))`,
        after: `use(together( () => import('#bell')))`,
      },
      {
        title: 'a setting with its comment, and constants and imports that it alone used',
        before: `import { a, b } from '#env'\n\n/** Times. */\nconst MANY = a(3)\n\nexport default {\n  limits: {\n    /** How often. */\n    knocks: MANY,\n    rings: b,\n  },\n}`,
        after: `import { b } from '#env' export default { limits: { rings: b, }, }`,
      },
      {
        title: 'a guard in a list',
        before: `route().use(auth({ guards: ['web', 'api'] }))`,
        after: `route().use(auth({ guards: ['web', ] }))`,
      },
      {
        title: 'a statement about guards none of which is left',
        before: `route().use(auth({ guards: ['api'] }))\nother()`,
        after: `other()`,
      },
      {
        title: 'the name of a file that is gone',
        before: `const documents = ['docs/doors.md', 'docs/house.md']\nshow(documents)`,
        after: `const documents = [ 'docs/house.md'] show(documents)`,
      },
      {
        title: 'nothing when nothing is gone, unused imports included',
        before: `import a from '#a'`,
        after: `import a from '#a'`,
      },
    ])
    .run(({ assert }, { before, after }) => {
      const { text, left } = cut(before)
      assert.equal(bare(text), bare(after))
      assert.isEmpty(left)
    })

  test('what stands in no list is left, and named', ({ assert }) => {
    const { left } = cut(`import open from '#doors/open'\n\nopen(3)`)
    assert.deepEqual(left, ['open(3)'])
  })

  test('a header of a file stays', ({ assert }) => {
    const { text } = cut(`/* House */\n\nimport Door from '#doors/door'\nexport default 1`)
    assert.equal(bare(text), bare('/* House */ export default 1'))
  })
})

test.group('What other texts lose with a feature', () => {
  test('what stands between its marks, also inside those of another', ({ assert }) => {
    const text = 'a\n// feature: x\nb\n// feature: y\nc\n// /feature\n// /feature\nd'
    assert.equal(withoutMarked(text, ['x']), 'a\nd')
    assert.notInclude(withoutMarked(text, ['y']), 'c')
    assert.include(withoutMarked(text, ['y']), 'b')
  })

  test('variables with their comments', ({ assert }) => {
    const text = 'A=1\n# Doors\n# or windows\nDOORS=2\n#DOORS_MAX=3\nB=4\n'
    assert.equal(
      withoutVariables(text, (name) => name.startsWith('DOORS')),
      'A=1\nB=4\n'
    )
  })

  test('adonisrc.ts remembers what is gone, each once', ({ assert }) => {
    const once = withRecord('export default 1\n', ['mcp', 'api_token'])
    const twice = withRecord(once, ['mcp', 'posts'])
    assert.deepEqual(removedFeatures(twice), ['api_token', 'mcp', 'posts'])
    assert.lengthOf(twice.match(/removedFeatures/g)!, 1)
    assert.deepEqual(removedFeatures('export default 1'), [])
  })
})
