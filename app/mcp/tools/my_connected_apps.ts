import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Response, Tool } from 'adonis-auth-kit/mcp'

@inject()
export default class MyConnectedApps extends Tool<typeof MyConnectedApps> {
  static override name = 'my_connected_apps'
  static override title = 'My connected apps'
  static override description =
    'Lists the apps that the user has allowed to act for them, and what each may do where.'

  static override annotations = { readOnlyHint: true, openWorldHint: false }
  static override scopes = ['account:read'] as const

  /** Without AuthOAuth2Provider there are none. */
  static override async shouldRegister() {
    const manager = await app.container.make('auth_manager')
    return manager.feature('connectedApps') !== undefined
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        apps: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              clientId: { type: 'string' },
              name: { type: 'string' },
              host: { type: ['string', 'null'] },
              resource: { type: ['string', 'null'] },
              scopes: { type: 'array', items: { type: 'string' } },
              createdAt: { type: 'string', format: 'date-time' },
              lastUsedAt: { type: ['string', 'null'], format: 'date-time' },
            },
            required: ['clientId', 'name', 'host', 'resource', 'scopes', 'createdAt', 'lastUsedAt'],
          },
        },
      },
      required: ['apps'],
    } as const
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle() {
    const manager = await app.container.make('auth_manager')
    const { users } = this.ctx.auth.use()
    const apps = await manager.feature('connectedApps')!.list({
      userId: users.identify(this.ctx.auth.getUserOrFail()),
      provider: users.name,
    })
    return Response.structure({
      apps: apps.map((one) => ({
        clientId: one.clientId,
        name: one.clientName,
        host: one.clientHost,
        resource: one.resource,
        scopes: one.scopes.map(({ name }) => name),
        createdAt: one.createdAt,
        lastUsedAt: one.lastUsedAt,
      })),
    })
  }
}
