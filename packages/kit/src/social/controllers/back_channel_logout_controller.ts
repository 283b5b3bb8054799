import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { InvalidRequest } from '#auth/errors'
import { assertFound } from '#http/errors'
import { assertOr } from '#process/assert_or'

export default class BackChannelLogoutController {
  async store(ctx: HttpContext) {
    const { request, response, params } = ctx
    const social = manager.feature('social')!
    const isHeard = await social.hearLogout(ctx, params.name, request.body().logout_token)
    assertFound(isHeard !== null, ctx)
    assertOr(isHeard, InvalidRequest, 'The logout token is not valid.')
    return response.header('Cache-Control', 'no-store').noContent()
  }
}
