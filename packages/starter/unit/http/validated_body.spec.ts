import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'

const validator = vine.create({ name: vine.string().optional() })

/** What validators find in a request whose body and query string have a name each. */
async function namesIn(method: string) {
  const request = new RequestFactory().merge({ method, url: '/?name=query' }).create()
  request.setInitialBody({ name: 'body' })
  const ctx = new HttpContextFactory().merge({ request }).create()
  const { name } = await ctx.request.validateUsing(validator)
  const [, tried] = await ctx.request.tryValidateUsing(validator)
  return [name, tried?.name]
}

test.group('Fields that are validated', () => {
  test('of {$self} are those of the query string')
    .with(['GET', 'HEAD', 'OPTIONS'])
    .run(async ({ assert }, method) => {
      assert.deepEqual(await namesIn(method), ['query', 'query'])
    })

  test('of {$self} are those of the body alone')
    .with(['POST', 'PUT', 'PATCH', 'DELETE'])
    .run(async ({ assert }, method) => {
      assert.deepEqual(await namesIn(method), ['body', 'body'])
    })
})
