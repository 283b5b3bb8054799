import { test } from '@japa/runner'

import { JsonResource } from '#json_api/json_resource'
import { ResourceCollection } from '#json_api/resource_collection'
import type { Relationships } from '#json_api/types'
import { readWithJsona, readWithKitsu } from '#tests/helpers/json_api_clients'
import { judge } from '#tests/helpers/json_api_judge'

/*
| Random graphs with cycles, random includes and fieldsets. What a document has
| to say is found here by walking the graph path by path; whether it is one, the
| judge says; and two clients read it back.
*/

interface Thing {
  kind: string
  id: number
  name: string
  size: number
  one: Thing | null
  many: Thing[]
}

class ThingResource extends JsonResource<Thing> {
  toAttributes() {
    return { name: this.resource.name, size: this.resource.size }
  }

  toRelationships(): Relationships {
    return {
      one: () => resourceOf(this.resource.one),
      many: () => new MixedCollection(this.resource.many),
    }
  }
}

class AppleResource extends ThingResource {}
class PearResource extends ThingResource {}
class PlumResource extends ThingResource {}

const CLASSES: Record<string, typeof ThingResource> = {
  apples: AppleResource,
  pears: PearResource,
  plums: PlumResource,
}

const resourceOf = (thing: Thing | null) => thing && new CLASSES[thing.kind]!(thing)

/** Things of every kind. */
class MixedCollection extends ResourceCollection<ThingResource> {
  constructor(private things: Thing[]) {
    super(AppleResource, things)
  }

  override resources(): ThingResource[] {
    return this.things.map((thing) => new CLASSES[thing.kind]!(thing))
  }
}

/** Mulberry32: the same seed gives the same graph. */
function randomness(seed: number) {
  return (below: number) => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

type Random = ReturnType<typeof randomness>

function randomGraph(random: Random): Thing[] {
  const things: Thing[] = Array.from({ length: 1 + random(12) }, (_, index) => ({
    kind: Object.keys(CLASSES)[random(3)]!,
    id: index % 4,
    name: `thing ${index}`,
    size: random(100),
    one: null,
    many: [],
  }))
  const unique = [...new Map(things.map((thing) => [keyOf(thing), thing])).values()]
  for (const thing of unique) {
    thing.one = random(4) === 0 ? null : unique[random(unique.length)]!
    thing.many = Array.from({ length: random(4) }, () => unique[random(unique.length)]!)
  }
  return unique
}

const keyOf = (thing: { kind?: string; type?: string; id: number | string }) =>
  `${thing.kind ?? thing.type} ${thing.id}`

function randomPaths(random: Random) {
  return Array.from({ length: random(5) }, () =>
    Array.from({ length: 1 + random(5) }, () => ['one', 'many'][random(2)]!)
  )
}

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

test.group('JsonResource | 200 random graphs', () => {
  test('documents are valid, complete, without anything unrequested, and read back alike', async ({
    assert,
  }) => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomness(seed)
      const graph = randomGraph(random)
      const primary = graph.slice(0, 1 + random(graph.length))
      const paths = randomPaths(random)
      const sizeOnly = Object.keys(CLASSES).filter(() => random(3) === 0)

      const source = new MixedCollection(primary)
      const document = JSON.parse(
        JSON.stringify(
          await source
            .include(...paths.map((path) => path.join('.')))
            .fields(...sizeOnly.map((type) => `${type}.size`))
            .serialize()
        )
      )

      const hint = `seed ${seed}`
      assert.deepEqual(judge(document), [], hint)
      assert.deepEqual(document.data.map(keyOf), primary.map(keyOf), hint)

      const { included, links } = expectation(primary, paths)
      assert.sameMembers(document.included.map(keyOf), included, hint)

      const byKey = new Map(graph.map((thing) => [keyOf(thing), thing]))
      for (const resource of [...document.data, ...document.included]) {
        const thing = byKey.get(keyOf(resource))!
        const attributes = sizeOnly.includes(thing.kind)
          ? { size: thing.size }
          : { name: thing.name, size: thing.size }
        assert.deepEqual(resource.attributes, attributes, hint)
        assert.sameMembers(
          Object.keys(resource.relationships ?? {}),
          [...(links.get(keyOf(thing)) ?? [])],
          hint
        )
        for (const [name, { data }] of Object.entries<any>(resource.relationships ?? {})) {
          const expected = new Set(follow(thing, name).map(keyOf))
          assert.deepEqual([data ?? []].flat().map(keyOf), [...expected], hint)
        }
      }

      assertReadBack(assert, document, primary, paths, hint)
    }
  })
})

/** Walks every path through what the two clients made of the document. */
function assertReadBack(
  assert: any,
  document: any,
  primary: Thing[],
  paths: string[][],
  hint: string
) {
  const jsona = readWithJsona(document)
  const kitsu = readWithKitsu(document)

  const walk = (thing: Thing, a: any, b: any, path: string[]) => {
    assert.equal(keyOf(a), keyOf(thing), hint)
    assert.equal(keyOf(b), keyOf(thing), hint)
    assert.equal(a.size, thing.size, hint)
    assert.equal(b.size, thing.size, hint)
    assert.equal(a.name, b.name, hint)

    const [name, ...rest] = path
    if (!name) {
      return
    }
    const things = [...new Map(follow(thing, name).map((next) => [keyOf(next), next])).values()]
    const left = [a[name] ?? []].flat()
    const right = [b[name]?.data ?? []].flat()
    assert.lengthOf(left, things.length, hint)
    assert.lengthOf(right, things.length, hint)
    things.forEach((next, index) => walk(next, left[index], right[index], rest))
  }

  for (const path of paths) {
    primary.forEach((thing, index) => walk(thing, jsona[index], kitsu[index], path))
  }
}
