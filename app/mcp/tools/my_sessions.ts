import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Response, Tool } from 'adonis-auth-kit/mcp'
import { SessionService } from 'adonis-auth-kit/session'
import { describeDevice } from 'adonis-auth-kit/http'

@inject()
export default class MySessions extends Tool<typeof MySessions> {
  static override name = 'my_sessions'
  static override title = 'My sessions'
  static override description =
    'Lists where the user is signed in with a browser: device, address, since when and until when.'

  static override annotations = { readOnlyHint: true, openWorldHint: false }
  static override scopes = ['account:read'] as const

  /** Without AuthSessionProvider there are none. */
  static override async shouldRegister() {
    const manager = await app.container.make('auth_manager')
    return manager.feature('sessions') !== undefined
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        sessions: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              browser: { type: ['string', 'null'] },
              system: { type: ['string', 'null'] },
              ipAddress: { type: ['string', 'null'] },
              createdAt: { type: 'string', format: 'date-time' },
              expiresAt: { type: 'string', format: 'date-time' },
            },
            required: ['browser', 'system', 'ipAddress', 'createdAt', 'expiresAt'],
          },
        },
      },
      required: ['sessions'],
    } as const
  }

  constructor(
    protected ctx: HttpContext,
    protected service: SessionService
  ) {
    super()
  }

  async handle() {
    const user = this.ctx.auth.getUserOrFail()
    const { users } = this.ctx.auth.use()
    const sessions = await this.service.listOf(user, users)
    return Response.structure({
      sessions: sessions.map(({ userAgent, ipAddress, createdAt, expiresAt }) => ({
        ...describeDevice(userAgent),
        ipAddress,
        createdAt: new Date(createdAt),
        expiresAt: new Date(expiresAt),
      })),
    })
  }
}
