import type { Owner } from '#auth/users'
import { ServerPart } from '#oauth2/server_part'

export type ConnectedApp = Awaited<ReturnType<ConnectedApps['list']>>[number]

/** What clients may do for a user, and the end of it. */
export class ConnectedApps extends ServerPart {
  /** The clients that may act for a user, the newest first. */
  async list(user: Owner) {
    const { tokens, clients, catalogue, contexts } = this.server
    const grants = await tokens.grants.list(user)
    const known = await clients.findMany(grants.map(({ clientId }) => clientId))
    const nameOf = await contexts.names(user)
    return grants.flatMap((grant) => {
      const client = known.get(grant.clientId)
      return client && !client.revoked
        ? {
            id: grant.id,
            clientId: client.id,
            clientName: client.name,
            clientHost: client.host,
            redirectHost: grant.redirectHost,
            resource: grant.resource,
            scopes: catalogue.describe(grant.scopes),
            context: grant.context,
            contextName: nameOf(grant.context),
            createdAt: new Date(grant.createdAt),
            lastUsedAt: grant.lastUsedAt === null ? null : new Date(grant.lastUsedAt),
          }
        : []
    })
  }

  /** Ends what a client may do for a user, with its codes and tokens; null when there is no such connection. */
  async disconnect(user: Owner, id: string): Promise<ConnectedApp | null> {
    const { tokens, announce } = this.server
    const apps = await this.list(user)
    const connected = apps.find((one) => one.id === id)
    if (!connected || !(await tokens.grants.revoke(id, Date.now()))) {
      return null
    }
    const { clientId } = connected
    announce('oauth2:token_revoked', { jti: null, clientId, userId: user.userId })
    return connected
  }

  /** Ends all of them, and all else that clients hold of a user; returns those that this has ended. */
  async disconnectAll(user: Owner): Promise<ConnectedApp[]> {
    const { tokens, userTokens } = this.server
    const ended: ConnectedApp[] = []
    for (const connected of await this.list(user)) {
      if (await tokens.grants.revoke(connected.id, Date.now())) {
        ended.push(connected)
      }
    }
    await userTokens.revokeAll(user, ended.length > 0)
    return ended
  }
}
