import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { ApiToken } from 'adonis-auth-kit/api_token'
import { Response, Tool } from 'adonis-auth-kit/mcp'

@inject()
export default class MyApiTokens extends Tool<typeof MyApiTokens> {
  static override name = 'my_api_tokens'
  static override title = 'My API tokens'
  static override description =
    'Lists the API tokens of the user: names, abilities and when they were used, never the tokens themselves.'

  static override annotations = { readOnlyHint: true, openWorldHint: false }
  static override scopes = ['account:read'] as const

  /** Without AuthApiTokenProvider there are none. */
  static override async shouldRegister() {
    const manager = await app.container.make('auth_manager')
    return manager.feature('apiTokens') !== undefined
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        tokens: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              name: { type: ['string', 'null'] },
              abilities: { type: 'array', items: { type: 'string' } },
              createdAt: { type: 'string', format: 'date-time' },
              lastUsedAt: { type: ['string', 'null'], format: 'date-time' },
              expiresAt: { type: ['string', 'null'], format: 'date-time' },
            },
            required: ['id', 'name', 'abilities', 'createdAt', 'lastUsedAt', 'expiresAt'],
          },
        },
      },
      required: ['tokens'],
    } as const
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle() {
    const tokens = await ApiToken.tokens(this.ctx.auth.getUserOrFail())
    return Response.structure({
      tokens: tokens.map(({ id, name, abilities, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        name,
        abilities,
        createdAt,
        lastUsedAt,
        expiresAt,
      })),
    })
  }
}
