import { test } from '@japa/runner'
import fc from 'fast-check'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { JsonResource, ResourceCollection } from '#kit/json_api/json_resource'
import type { Relationships, ResourceClass } from '#kit/json_api/types'
import { readWithJsona, readWithKitsu } from '#starter/helpers/json_api_clients'
import { judge } from '#starter/helpers/json_api_judge'

/*
| Random graphs, with cycles and shared things of up to three kinds, whose
| relationships are declared in every way there is. What a document has to say is
| found here by walking the graph path by path; whether it is one, the judge says,
| which knows the specification alone; and two clients read it back.
*/

const RUNS = 300
const KINDS = ['apples', 'pears', 'plums'] as const

interface Thing {
  kind: string
  id: number
  name: string
  size: number
  one: Thing | null
  many: Thing[]
}

/** Makes the resource of a thing, whatever its kind. */
type Wrap = <Item extends Thing | null>(thing: Item) => JsonResource<Thing>

type Style = (thing: () => Thing, wrap: Wrap, classes: () => ResourceClass[]) => Relationships

const classOf = (classes: ResourceClass[], { kind }: Thing) =>
  classes.find(({ type }) => type === kind)!

const STYLES: Record<string, Style> = {
  callable: (thing, wrap) => ({
    one: () => thing().one && wrap(thing().one),
    many: () => thing().many.map(wrap),
  }),
  asynchronous: (thing, wrap) => ({
    one: async () => thing().one && wrap(thing().one),
    many: async () => new MixedCollection(thing().many, wrap),
  }),
  dependent: (thing, wrap) => {
    const { one, many } = thing()
    return { one: () => one && wrap(one), many: () => many.map(wrap) }
  },
  declared: (_thing, _wrap, classes) => {
    const resourceFor = (thing: Thing) => classOf(classes(), thing)
    return { one: toOne(classes, { resourceFor }), many: toMany(classes, { resourceFor }) }
  },
  loaded: (_thing, _wrap, classes) => {
    const resourceFor = (thing: Thing) => classOf(classes(), thing)
    return {
      one: toOne(classes, { resourceFor, load: (things) => things.map(({ one }) => one) }),
      many: toMany(classes, {
        resourceFor,
        load: async (things) => things.map(({ many }) => many),
      }),
    }
  },
}

/** Things of every kind. */
class MixedCollection extends ResourceCollection<JsonResource<Thing>> {
  constructor(
    private things: Thing[],
    private wrap: Wrap
  ) {
    super(wrap(things[0] ?? ({ kind: KINDS[0] } as Thing)).resourceClass, things)
  }

  override resources() {
    return this.things.map(this.wrap)
  }
}

/** A class of resources for each kind, with the relationships of its style. */
function makeClasses(styles: string[]) {
  const wrap: Wrap = (thing) => new (classOf(classes, thing!))(thing)
  const classes: ResourceClass[] = styles.map((style, index) => {
    const hidden = ['id', 'kind']
    return class extends JsonResource<Thing> {
      static override type = KINDS[index]!
      static override hidden = hidden

      override toRelationships() {
        return STYLES[style]!(
          () => this.resource,
          wrap,
          () => classes
        )
      }
    }
  })
  return wrap
}

const keyOf = (thing: { kind?: string; type?: string; id: number | string }) =>
  `${thing.kind ?? thing.type} ${thing.id}`

const graphs = fc
  .record({
    styles: fc.array(fc.constantFrom(...Object.keys(STYLES)), { minLength: 1, maxLength: 3 }),
    seeds: fc.uniqueArray(
      fc.record({
        kind: fc.nat({ max: 2 }),
        id: fc.nat({ max: 3 }),
        one: fc.option(fc.nat({ max: 11 })),
        many: fc.array(fc.nat({ max: 11 }), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 12, selector: ({ kind, id }) => `${kind} ${id}` }
    ),
  })
  .map(({ styles, seeds }) => {
    const things = new Map<string, Thing>()
    for (const [index, { kind, id }] of seeds.entries()) {
      const thing = { kind: KINDS[kind % styles.length]!, id, name: `thing ${index}`, size: index }
      things.has(keyOf(thing)) || things.set(keyOf(thing), { ...thing, one: null, many: [] })
    }
    const graph = [...things.values()]
    for (const [index, thing] of graph.entries()) {
      const { one, many } = seeds[index]!
      thing.one = one === null ? null : graph[one % graph.length]!
      thing.many = many.map((target) => graph[target % graph.length]!)
    }
    return { graph, styles }
  })

const requests = fc.record({
  count: fc.nat({ max: 11 }),
  paths: fc.array(fc.array(fc.constantFrom('one', 'many'), { minLength: 1, maxLength: 5 }), {
    maxLength: 5,
  }),
  sizeOnly: fc.subarray([...KINDS]),
})

const follow = (thing: Thing, name: string) => [(thing as any)[name] ?? []].flat() as Thing[]

/** What is reached and which links are asked for, path by path. */
function expectation(primary: Thing[], paths: string[][]) {
  const reached = new Map<string, Thing>()
  const links = new Map<string, Set<string>>()
  for (const path of paths) {
    let level = primary
    for (const name of path) {
      for (const thing of level) {
        links.set(keyOf(thing), (links.get(keyOf(thing)) ?? new Set()).add(name))
      }
      level = [...new Set(level.flatMap((thing) => follow(thing, name)))]
      level.forEach((thing) => reached.set(keyOf(thing), thing))
    }
  }
  primary.forEach((thing) => reached.delete(keyOf(thing)))
  return { included: [...reached.keys()], links }
}

test.group('JsonResource | random graphs', () => {
  test('documents are valid, complete, without anything unrequested, and read back alike', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(graphs, requests, async ({ graph, styles }, { count, paths, sizeOnly }) => {
        const primary = graph.slice(0, 1 + (count % graph.length))
        const source = new MixedCollection(primary, makeClasses(styles))
        const document = JSON.parse(
          JSON.stringify(
            await source
              .include(...paths.map((path) => path.join('.')))
              .fields(...sizeOnly.map((type) => `${type}.size`))
              .serialize()
          )
        )
        assert.deepEqual(judge(document), [])
        assertSays(assert, document, { graph, primary, paths, sizeOnly })
        assertReadBack(assert, document, primary, paths)
      }),
      { numRuns: RUNS }
    )
  })
})

/** Holds that a document says what the graph does, and nothing that was not asked for. */
function assertSays(
  assert: any,
  document: any,
  asked: { graph: Thing[]; primary: Thing[]; paths: string[][]; sizeOnly: string[] }
) {
  const { graph, primary, paths, sizeOnly } = asked
  assert.deepEqual(document.data.map(keyOf), primary.map(keyOf))
  const { included, links } = expectation(primary, paths)
  assert.sameMembers(document.included.map(keyOf), included)

  const byKey = new Map(graph.map((thing) => [keyOf(thing), thing]))
  for (const resource of [...document.data, ...document.included]) {
    const { kind, name, size } = byKey.get(keyOf(resource))!
    assert.deepEqual(resource.attributes, sizeOnly.includes(kind) ? { size } : { name, size })
    const relationships = Object.entries<any>(resource.relationships ?? {})
    assert.sameMembers(
      relationships.map(([relationship]) => relationship),
      [...(links.get(keyOf(resource)) ?? [])]
    )
    for (const [relationship, { data }] of relationships) {
      const expected = new Set(follow(byKey.get(keyOf(resource))!, relationship).map(keyOf))
      assert.deepEqual([data ?? []].flat().map(keyOf), [...expected])
    }
  }
}

/** Walks every path through what the two clients made of the document. */
function assertReadBack(assert: any, document: any, primary: Thing[], paths: string[][]) {
  const jsona = readWithJsona(document)
  const kitsu = readWithKitsu(document)

  const walk = (thing: Thing, a: any, b: any, path: string[]) => {
    assert.equal(keyOf(a), keyOf(thing))
    assert.equal(keyOf(b), keyOf(thing))
    assert.equal(a.size, thing.size)
    assert.equal(b.size, thing.size)
    assert.equal(a.name, b.name)

    const [name, ...rest] = path
    if (!name) {
      return
    }
    const things = [...new Map(follow(thing, name).map((next) => [keyOf(next), next])).values()]
    const left = [a[name] ?? []].flat()
    const right = [b[name]?.data ?? []].flat()
    assert.lengthOf(left, things.length)
    assert.lengthOf(right, things.length)
    things.forEach((next, index) => walk(next, left[index], right[index], rest))
  }

  for (const path of paths) {
    primary.forEach((thing, index) => walk(thing, jsona[index], kitsu[index], path))
  }
}
