import type { Readable, Writable } from 'node:stream'

import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'

import { AuthContext } from '#auth/auth_context'
import { actAs } from '#auth/guards/given_guard'
import { createLocalContext } from '#mcp/stdio/local_context'
import { StdioTransport } from '#mcp/stdio/stdio_transport'

export interface StdioOptions {
  /** Name of a mounted server. */
  name: string
  /** Username, usually an e-mail address, of the active user to act as; nobody when absent. */
  user?: string
  input: Readable
  output: Writable
}

/**
 * Serves a mounted server over stdio until the client closes its end. With a user, calls have every
 * scope: whoever can start the command can read the database anyway.
 *
 * @throws {RuntimeException} for an unknown server or user, and for a closed mount without a user
 */
export async function serveStdio(app: ApplicationService, options: StdioOptions): Promise<void> {
  const manager = await app.container.make('mcp')
  const mount = await manager.findMount(options.name)
  if (!mount) {
    throw new RuntimeException(`There is no MCP server "${options.name}": see mcp:list`)
  }
  const { definition, protection } = mount
  const caller = await findCaller(app, options.user)
  if (!caller && protection && !protection.optional) {
    throw new RuntimeException(
      `The MCP server "${options.name}" is closed to strangers: name a user with --user`
    )
  }

  const transport = new StdioTransport(options.output, async () => {
    const ctx = await createLocalContext(app)
    if (caller) {
      await actAs(ctx, await app.container.make('auth_manager'), caller)
    }
    return {
      definition,
      config: manager.config,
      protection,
      ctx,
      caller: caller && definition.Server.caller(ctx),
      announce: manager.announce,
      count: async () => {},
      tasks: manager.tasks,
      subscriptions: manager.subscriptions,
    }
  })
  await transport.serve(options.input)
}

async function findCaller(
  app: ApplicationService,
  username: string | undefined
): Promise<AuthContext | null> {
  if (username === undefined) {
    return null
  }
  const auth = await app.container.make('auth_manager')
  const user = await auth.usersOf().findActiveByUsername(username)
  if (user === null) {
    throw new RuntimeException(`There is no active user "${username}"`)
  }
  return new AuthContext({ user, scopes: ['*'] })
}
