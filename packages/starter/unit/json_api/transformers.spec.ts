import { HttpContext } from '@adonisjs/core/http'
import testUtils from '@adonisjs/core/services/test_utils'
import { BaseSerializer, BaseTransformer } from '@adonisjs/core/transformers'
import { test } from '@japa/runner'

import { JsonResource } from '#kit/json_api/json_resource'
import User from '#models/user'

/* As AdonisJS's starter kits have it in providers/api_provider.ts. */
class ApiSerializer extends BaseSerializer<{ Wrap: 'data'; PaginationMetaData: object }> {
  wrap = 'data' as const

  definePaginationMetaData(metaData: object) {
    return metaData
  }
}
const serializer = new ApiSerializer()

class UserTransformer extends BaseTransformer<User> {
  toObject() {
    return this.pick(this.resource, ['id', 'fullName'])
  }
}

class UserResource extends JsonResource<User> {
  toAttributes() {
    return new UserTransformer(this.resource).toObject()
  }
}

test.group('Transformers of AdonisJS', () => {
  const user = new User().fill({ id: 7, fullName: 'Ann', email: 'ann@example.com' })

  test('ctx.serialize works as the guide says', async ({ assert }) => {
    HttpContext.macro(
      'serialize' as never,
      function (this: HttpContext, values: any) {
        return serializer.serialize(values, this.containerResolver)
      } as never
    )
    const ctx: any = await testUtils.createHttpContext()
    assert.deepEqual(await ctx.serialize(UserTransformer.transform(user)), {
      data: { id: 7, fullName: 'Ann' },
    })
    assert.deepEqual(await ctx.serialize(UserTransformer.transform([user])), {
      data: [{ id: 7, fullName: 'Ann' }],
    })
  })

  test('toAttributes of a resource may delegate to one', async ({ assert }) => {
    const { data } = await new UserResource(user).serialize()
    assert.deepEqual(data as object, {
      type: 'users',
      id: '7',
      attributes: { id: 7, fullName: 'Ann' },
    })
  })
})
