import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { ModelPaginator } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { JsonResource, ResourceCollection } from '#kit/json_api/json_resource'
import { CursorPage, simplePaginate } from '#kit/json_api/pagination'
import User from '#models/user'
import { judge } from '#starter/helpers/json_api_judge'
import { recordStatements } from '#starter/helpers/statements'

class TagResource extends JsonResource<{ id: number; name?: string }> {
  static hidden = ['id']
}

const tags = [{ id: 1 }, { id: 2 }]
const paginator = (total: number | string, perPage: number, page: number) =>
  new ModelPaginator(total as number, perPage, page, ...(tags as any[])) as any

const requestOf = (url: string) => new HttpContextFactory().merge({ url }).create().request

test.group('Pagination', () => {
  test('meta of a collection has exactly the six keys', async ({ assert }) => {
    const { meta } = await TagResource.collection(paginator(5, 2, 2)).serialize()
    assert.deepEqual(meta, {
      total: 5,
      per_page: 2,
      current_page: 2,
      last_page: 3,
      next_page: 3,
      previous_page: 1,
    })
  })

  test('the first and the last page have no neighbour beyond', async ({ assert }) => {
    const first = await TagResource.collection(paginator(5, 2, 1)).serialize()
    assert.deepInclude(first.meta!, { previous_page: null, next_page: 2 })
    assert.deepInclude(first.links!, { prev: null })
    const last = await TagResource.collection(paginator(5, 2, 3)).serialize()
    assert.deepInclude(last.meta!, { previous_page: 2, next_page: null })
    assert.deepInclude(last.links!, { next: null })
  })

  test('numbers that arrive as text are numbers', async ({ assert }) => {
    const { meta } = await TagResource.collection(
      paginator('5', '2' as any, '2' as any)
    ).serialize()
    assert.deepEqual(meta, {
      total: 5,
      per_page: 2,
      current_page: 2,
      last_page: 3,
      next_page: 3,
      previous_page: 1,
    })
  })

  test('links take the address and the parameters that the paginator was given', async ({
    assert,
  }) => {
    const page = paginator(5, 2, 2).baseUrl('/tags').queryString({ sort: 'name' })
    const document = await TagResource.collection(page).serialize()
    assert.deepEqual(document.links, {
      first: '/tags?sort=name&page=1',
      last: '/tags?sort=name&page=3',
      prev: '/tags?sort=name&page=1',
      next: '/tags?sort=name&page=3',
    })
    assert.deepEqual(judge(document), [])
  })

  test('an address that was given to the paginator goes before that of the request', async ({
    assert,
  }) => {
    const page = paginator(5, 2, 1).baseUrl('/mine')
    const document = await TagResource.collection(page).forRequest(requestOf('/tags')).serialize()
    assert.equal(document.links!.next, '/mine?page=2')
  })

  test('a paginator that knows no total leaves out total and last_page', async ({ assert }) => {
    const page = { all: () => tags, perPage: 2, currentPage: 2, hasMorePages: true }
    const document = await TagResource.collection(page).serialize()
    assert.deepEqual(document.meta, {
      per_page: 2,
      current_page: 2,
      next_page: 3,
      previous_page: 1,
    })
    assert.deepEqual(document.links, { first: '/?page=1', prev: '/?page=1', next: '/?page=3' })
    assert.deepEqual(judge(document), [])
  })

  test('simplePaginate never counts, and knows whether there is more', async ({
    assert,
    cleanup,
  }) => {
    const users = await UserFactory.createMany(5)
    cleanup(async () => {
      await db
        .from('users')
        .whereIn(
          'id',
          users.map(({ id }) => id)
        )
        .delete()
    })
    const query = () =>
      User.query()
        .whereIn(
          'id',
          users.map(({ id }) => id)
        )
        .orderBy('id')

    const statements = await recordStatements(async () => {
      const pages = [1, 2, 3, 4].map((page) => simplePaginate(query(), page, 2))
      const [first, second, third, fourth] = await Promise.all(pages)
      assert.deepEqual(
        [first, second, third, fourth].map((page) => page!.all().map(({ id }) => id)),
        [users.slice(0, 2), users.slice(2, 4), users.slice(4), []].map((some) =>
          some.map(({ id }) => id)
        )
      )
      assert.deepEqual(
        [first, second, third, fourth].map((page) => page!.hasMorePages),
        [true, true, false, false]
      )
      const exact = await simplePaginate(query(), 1, 5)
      assert.isFalse(exact.hasMorePages)
    })
    assert.lengthOf(statements, 5)
    assert.isFalse(statements.some((sql) => /count/i.test(sql)))
  })

  test('a collection of another class has its own hooks', async ({ assert }) => {
    class TagCollection extends ResourceCollection<TagResource> {
      override async toMeta() {
        return { ...(await super.toMeta()), kind: 'tags' }
      }

      override toLinks() {
        return { self: '/tags' }
      }

      override with() {
        return { jsonapi: { version: '1.1' } }
      }
    }
    const document = await new TagCollection(TagResource, paginator(2, 2, 1)).serialize()
    assert.equal(document.meta!.kind, 'tags')
    assert.equal(document.meta!.total, 2)
    assert.deepEqual(document.links, { self: '/tags' })
    assert.deepEqual(document.jsonapi, { version: '1.1' })
  })

  test('a collection may leave out what it does not show', async ({ assert }) => {
    class Later extends ResourceCollection<TagResource> {
      override resources() {
        return super.resources().filter(({ resource }) => resource.id > 1)
      }
    }
    const { data } = await new Later(TagResource, tags).serialize()
    assert.deepEqual(
      (data as { id: string }[]).map(({ id }) => id),
      ['2']
    )
  })

  test('cursors without a request are at the root', async ({ assert }) => {
    const page = new CursorPage(tags, 2, { prev: 'a', next: 'b' })
    const { links, meta } = await TagResource.collection(page).serialize()
    assert.deepEqual(links, { prev: '/?page%5Bbefore%5D=a', next: '/?page%5Bafter%5D=b' })
    assert.deepEqual(meta, { page: { size: 2 } })
  })

  test('links of a request keep its path and parameters, and never its host', async ({
    assert,
  }) => {
    const request = requestOf('/tags?page=2&include=a%2Cb&x=%26&x=2')
    const document = await TagResource.collection(paginator(5, 2, 2))
      .fields('name')
      .forRequest(request)
      .serialize()
    assert.equal(document.links!.next, '/tags?page=3&include=a%2Cb&x=%26&x=2')
  })

  test('links number pages in the family that the request has', async ({ assert }) => {
    for (const [query, next] of [
      ['page[size]=2', { 'page[size]': '2', 'page[number]': '2' }],
      ['page[number]=1', { 'page[number]': '2' }],
      ['page=1', { page: '2' }],
      ['', { page: '2' }],
    ] as const) {
      const { links } = await TagResource.collection(paginator(5, 2, 1))
        .fields('name')
        .forRequest(requestOf(`/tags?${query}`))
        .serialize()
      const { pathname, searchParams } = new URL(links!.next as string, 'http://localhost')
      assert.equal(pathname, '/tags')
      assert.deepEqual(Object.fromEntries(searchParams), next as object)
    }
  })
})
