import { RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { JsonResource } from '#kit/json_api/json_resource'
import type { JsonApiOptions } from '#kit/json_api/middleware/json_api_middleware'
import { jsonApiResource } from '#kit/json_api/resource_routes'
import type { Relationships } from '#kit/json_api/types'
import { judge } from '#starter/helpers/json_api_judge'

interface Owner {
  kind: 'user' | 'team'
  id: number
  boss?: Owner | null
  members?: Owner[]
}

class UserResource extends JsonResource<Owner> {
  static hidden = ['id', 'kind', 'members']

  toRelationships() {
    return { boss: toOne(() => UserResource) }
  }
}

class TeamResource extends JsonResource<Owner> {
  static hidden = ['id', 'kind', 'boss']

  toRelationships() {
    return { members: toMany(UserResource) }
  }
}

const resourceFor = (owner: Owner) => (owner.kind === 'user' ? UserResource : TeamResource)

interface Project {
  id: number
  owner: Owner | null
  watchers: Owner[]
}

class ProjectResource extends JsonResource<Project> {
  static hidden = ['id']

  toRelationships() {
    return {
      owner: toOne([UserResource, TeamResource], { resourceFor }),
      watchers: toMany(() => [UserResource, TeamResource], { resourceFor }),
    }
  }
}

const boss: Owner = { kind: 'user', id: 1, boss: null }
const user: Owner = { kind: 'user', id: 2, boss }
const team: Owner = { kind: 'team', id: 1, members: [user] }
const project = (id: number, owner: Owner | null, watchers: Owner[] = []): Project => ({
  id,
  owner,
  watchers,
})

const keys = (resources: { type: string; id: string }[]) =>
  resources.map(({ type, id }) => `${type} ${id}`)

test.group('toOne and toMany', () => {
  test('link what the model holds under the name of the relationship', async ({ assert }) => {
    const document = await new TeamResource(team).include('members.boss').serialize()
    assert.deepEqual(document.data!.relationships!.members!.data, [{ type: 'users', id: '2' }])
    assert.deepEqual(keys(document.included!), ['users 2', 'users 1'])
    assert.deepEqual(judge(document), [])
  })

  test('toOne is null when there is nothing, toMany an empty list', async ({ assert }) => {
    for (const nothing of [null, undefined]) {
      const { data } = await new UserResource({ ...boss, boss: nothing })
        .include('boss')
        .serialize()
      assert.deepEqual(data!.relationships, { boss: { data: null } })
    }
    const { data } = await new TeamResource({ ...team, members: [] }).include('members').serialize()
    assert.deepEqual(data!.relationships, { members: { data: [] } })
  })

  test('refuse a list in the place of one, and one in the place of a list', async ({ assert }) => {
    await assert.rejects(
      () => new TeamResource({ ...team, members: user as any }).include('members').serialize(),
      'The relationship "members" of TeamResource needs a list'
    )
    await assert.rejects(
      () => new TeamResource({ ...team, members: undefined }).include('members').serialize(),
      'The relationship "members" of TeamResource needs a list'
    )
    await assert.rejects(
      () => new UserResource({ ...user, boss: [boss] as any }).include('boss').serialize(),
      'The relationship "boss" of UserResource leads to one resource, not to a list'
    )
  })

  test('may lead to several classes, in one list too', async ({ assert }) => {
    const document = await ProjectResource.collection([
      project(1, user, [team, boss]),
      project(2, team),
      project(3, null),
    ])
      .include('owner', 'watchers')
      .serialize()
    assert.deepEqual(document.data[0]!.relationships as any, {
      owner: { data: { type: 'users', id: '2' } },
      watchers: {
        data: [
          { type: 'teams', id: '1' },
          { type: 'users', id: '1' },
        ],
      },
    })
    assert.isNull(document.data[2]!.relationships!.owner!.data)
    assert.deepEqual(judge(document), [])
  })

  test('may lead to several classes, and to a resource that is made already', async ({
    assert,
  }) => {
    const owner = new TeamResource(team) as unknown as Owner
    const document = await new ProjectResource(project(1, owner)).include('owner').serialize()
    assert.deepEqual(document.data!.relationships!.owner!.data, { type: 'teams', id: '1' })
    assert.deepEqual(keys(document.included!), ['teams 1'])
  })

  test('need to be told which of several classes it is, and only one of them', async ({
    assert,
  }) => {
    for (const options of [{}, { resourceFor: () => ProjectResource }]) {
      class WrongResource extends JsonResource<Project> {
        toRelationships() {
          return { owner: toOne([UserResource, TeamResource], options) }
        }
      }
      await assert.rejects(
        () => new WrongResource(project(1, user)).include('owner').serialize(),
        /needs "resourceFor", which returns one of them/
      )
    }
  })

  test('take classes of resources and nothing else', async ({ assert }) => {
    for (const wrong of [undefined, [], 'users', () => null, Date]) {
      class WrongResource extends JsonResource<Project> {
        toRelationships() {
          return { owner: toOne(wrong as any) }
        }
      }
      await assert.rejects(
        () => new WrongResource(project(1, user)).include('owner').serialize(),
        'toOne and toMany need classes of resources'
      )
    }
  })

  test('a callable may return a list of resources of several classes', async ({ assert }) => {
    class MixedResource extends JsonResource<Project> {
      static type = 'projects'
      static hidden = ['id']

      toRelationships() {
        return {
          watchers: () => this.resource.watchers.map((one) => new (resourceFor(one))(one)),
        }
      }
    }
    const document = await new MixedResource(project(1, null, [team, boss]))
      .include('watchers')
      .serialize()
    assert.deepEqual(keys(document.data!.relationships!.watchers!.data), ['teams 1', 'users 1'])
    assert.deepEqual(judge(document), [])
  })
})

test.group('A path through declared relationships', () => {
  test('is judged by the classes alone: the same for every page of data', async ({ assert }) => {
    const pages = [
      [],
      [project(1, null)],
      [project(1, user)],
      [project(1, team)],
      [project(1, user, [team]), project(2, team, [user])],
    ]
    const known = [
      'owner',
      'owner.boss',
      'owner.members',
      'owner.members.boss',
      'watchers.boss.boss',
    ]
    const unknown = ['boss', 'owner.nothing', 'owner.boss.members', 'watchers.members.members']
    for (const page of pages) {
      for (const path of known) {
        const document = await ProjectResource.collection(page).include(path).serialize()
        assert.deepEqual(judge(document), [], path)
      }
      for (const path of unknown) {
        const error = await ProjectResource.collection(page)
          .include(path)
          .serialize()
          .then(
            () => assert.fail(`${path} was accepted`),
            (reason) => reason
          )
        assert.equal(error.status, 400)
        assert.deepEqual(error.source, { parameter: 'include' })
      }
    }
  })

  test('is refused before anything is loaded or run', async ({ assert }) => {
    let runs = 0
    class ShelfResource extends JsonResource<{ id: number }> {
      toRelationships() {
        return {
          owner: toOne(UserResource, { load: (models) => models.map(() => (runs++, user)) }),
          readers: () => (runs++, UserResource.collection([user])),
        }
      }
    }
    for (const paths of [['owner', 'nothing'], ['readers', 'owner.nothing'], ['owner.boss.x']]) {
      await assert.rejects(() =>
        ShelfResource.collection([{ id: 1 }])
          .include(...paths)
          .serialize()
      )
    }
    assert.equal(runs, 0)
  })
})

test.group('User code', () => {
  test('is never called without a model', async ({ assert }) => {
    const calls: unknown[] = []
    class WatchedResource extends JsonResource<{ id: number }> {
      static type = 'watched'

      toAttributes() {
        calls.push(this.resource)
        return {}
      }

      toRelationships() {
        return {
          one: () => (calls.push(this.resource), new WatchedResource(null)),
          many: () => (calls.push(this.resource), WatchedResource.collection([])),
          loaded: toMany(() => WatchedResource, {
            load: (models) => (calls.push(...models), models.map(() => [])),
          }),
        }
      }

      toLinks() {
        calls.push(this.resource)
        return null
      }
    }
    const include = ['one.one', 'many.many', 'loaded.loaded', 'loaded.one']
    await WatchedResource.collection([])
      .include(...include)
      .serialize()
    await new WatchedResource(null).include(...include).serialize()
    assert.deepEqual(calls, [])

    const model = { id: 1 }
    await WatchedResource.collection([model])
      .include(...include)
      .serialize()
    assert.isNotEmpty(calls)
    assert.isTrue(calls.every((one) => one === model))
  })

  test('of toRelationships() cannot read a model where there is none', async ({ assert }) => {
    const seen: unknown[] = []
    class CuriousResource extends JsonResource<{ id: number }> {
      toRelationships(): Relationships {
        try {
          seen.push(this.resource)
        } catch {
          return { nonsense: UserResource }
        }
        return { boss: () => new UserResource(boss) }
      }
    }
    const document = await CuriousResource.collection([]).include('nonsense').serialize()
    assert.deepEqual(document.included, [])
    assert.deepEqual(seen, [])
    await assert.rejects(() => new CuriousResource({ id: 1 }).include('nonsense').serialize())
    await new CuriousResource({ id: 1 }).include('boss').serialize()
  })

  test('that fails is heard as soon as there is a model to ask', async ({ assert }) => {
    class FailingResource extends JsonResource<{ id: number }> {
      toRelationships(): never {
        throw new Error('out of order')
      }
    }
    await assert.rejects(() => new FailingResource({ id: 1 }).serialize(), 'out of order')
  })
})

test.group('load', () => {
  test('fetches for a whole level at once, each model once', async ({ assert }) => {
    const calls: number[][] = []
    class NodeResource extends JsonResource<{ id: number }> {
      static hidden = ['id']

      toRelationships() {
        return {
          next: toOne(() => NodeResource, {
            load(nodes: { id: number }[]) {
              calls.push(nodes.map(({ id }) => id))
              return Promise.resolve(nodes.map(({ id }) => ({ id: (id + 1) % 4 })))
            },
          }),
        }
      }
    }
    const document = await NodeResource.collection([{ id: 0 }, { id: 1 }])
      .include('next.next.next.next')
      .serialize()
    assert.deepEqual(calls, [[0, 1], [2], [3]])
    assert.deepEqual(judge(document), [])
    assert.lengthOf(document.included!, 2)
  })

  test('has to give as many values as there are models', async ({ assert }) => {
    for (const values of [[], [1, 2], null]) {
      class WrongResource extends JsonResource<{ id: number }> {
        toRelationships() {
          return { one: toOne(UserResource, { load: () => values as any }) }
        }
      }
      await assert.rejects(
        () => new WrongResource({ id: 1 }).include('one').serialize(),
        /has to load as many values as there are models/
      )
    }
  })
})

test.group('Routes of a relationship', () => {
  test('include what its resource may, from the related resources or from the linkage on', ({
    assert,
  }) => {
    const selections: JsonApiOptions[] = []
    const router = new RouterFactory().merge({ app }).create()
    const handler = () => {}
    jsonApiResource(router, 'projects', handler, {
      resource: () => ProjectResource,
      include: ['owner', 'owner.boss', 'watchers'],
      jsonApi: (selection) => (selections.push(selection), handler),
      use: { read: [], write: [] },
      only: [],
      relationships: { owner: { controller: handler, only: ['related', 'show'] } },
    })
    assert.deepEqual(selections.map(({ include }) => include).filter(Boolean), [
      ['boss'],
      ['owner', 'owner.boss'],
    ])
  })
})
