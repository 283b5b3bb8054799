import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'

import { Response, Tool } from 'adonis-auth-kit/mcp'

@inject()
export default class WhoAmI extends Tool<typeof WhoAmI> {
  static override name = 'who_am_i'
  static override title = 'Who am I'
  static override description =
    'Returns the profile of the user, and what the client may do for them.'

  static override annotations = { readOnlyHint: true, openWorldHint: false }
  static override scopes = ['account:read'] as const

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        user: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            email: { type: 'string' },
            full_name: { type: ['string', 'null'] },
          },
          required: ['id', 'email', 'full_name'],
        },
        client_id: { type: ['string', 'null'] },
        scopes: { type: 'array', items: { type: 'string' } },
      },
      required: ['user', 'client_id', 'scopes'],
    } as const
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  handle() {
    const user = this.ctx.auth.getUserOrFail()
    const { clientId, scopes } = this.ctx.auth.context!
    return Response.structure({ user: user.toProfile(), client_id: clientId, scopes: [...scopes] })
  }
}
