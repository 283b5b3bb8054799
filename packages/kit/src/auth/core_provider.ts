import type { ApplicationService } from '@adonisjs/core/types'
import { type Router, HttpContext } from '@adonisjs/core/http'

import { AuthManager } from '#auth/manager'
import '#auth/authenticator'
import { resolveAuthConfig } from '#auth/define_config'
import { assertArgument, assertRuntime } from '#config/checks'
import { Background } from '#process/background'
import { reportFailedCommits } from '#database/failed_commits'
import { Purges, turnOn } from '#database/purges'
import { KitProvider } from '#process/kit_provider'

/** @throws {RuntimeException} unless AuthProvider, which binds the manager, has been registered before */
export function assertAuthProvider(app: ApplicationService, provider: string): void {
  const tooEarly = `${provider} adds to AuthProvider: list AuthProvider before it in adonisrc.ts`
  assertRuntime(app.container.hasBinding('auth_manager'), tooEarly)
}

/**
 * Checks the `guards` of all named middleware. A list may name a guard that does not exist, so that
 * a feature can be removed without touching every route; with only such guards it locks everyone out.
 * @throws {InvalidArgumentsException} for a route that lists only guards that do not exist
 */
export function assertGuardLists(
  router: Pick<Router, 'toJSON'>,
  manager: Pick<AuthManager, 'hasGuard'>
): void {
  for (const route of Object.values(router.toJSON()).flat()) {
    const middleware = [...route.middleware.all()] as { args?: { guards?: unknown } }[]
    for (const guards of middleware.map(({ args }) => args?.guards).filter(Array.isArray)) {
      const names = guards.map((name) => `"${name}"`).join(', ') || 'none'
      const closed = `Nobody can pass the route "${route.methods.join('|')} ${route.pattern}": of the guards that it lists (${names}) none is in config/auth.ts`
      const isOpen = guards.some((name) => manager.hasGuard(name))
      assertArgument(isOpen, closed)
    }
  }
}

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    auth_manager: AuthManager
  }
}

/** Binds the manager, and gives every request its `ctx.authenticator`. Applications extend it. */
export abstract class CoreProvider extends KitProvider {
  protected readonly configFile: string = 'auth'

  register() {
    this.app.container.singleton('auth_manager', async (resolver) => {
      const hash = await resolver.make('hash')
      return new AuthManager(this.requireConfig(this.configFile, resolveAuthConfig), hash.use())
    })
    this.app.container.singleton(Purges, () => new Purges())
    this.app.container.singleton(
      Background,
      async (resolver) => new Background(await resolver.make('logger'))
    )
  }

  async boot() {
    const manager = await this.make('auth_manager')
    HttpContext.getter(
      'authenticator',
      function (this: HttpContext) {
        return manager.createAuthenticator(this)
      },
      true
    )
    if (this.app.container.hasBinding('lucid.db')) {
      const db = await this.make('lucid.db')
      reportFailedCommits(db)
      const purges = await this.app.container.make(Purges)
      purges.turn = turnOn(() => db.connection())
    }
  }

  /** Runs after every provider has booted, so that all drivers are there. */
  async start() {
    const manager = await this.make('auth_manager')
    await manager.build()
    const warmUp = manager.warmUp()
    /* A command may be the migration that the model waits for; whatever needs users says what is missing. */
    await (this.app.getEnvironment() === 'console' ? warmUp.catch(() => {}) : warmUp)
    /* Not in a command: a migration may bring the column. */
    if (this.app.getEnvironment() === 'web') {
      await manager.assertFields()
    }
  }

  /** Only in a server: commands run no timers, and tests start purges themselves. */
  async ready() {
    if (this.app.getEnvironment() === 'web') {
      const purges = await this.app.container.make(Purges)
      const logger = await this.make('logger')
      purges.start((name, error) => logger.error({ err: error }, `Cannot purge ${name}`))
    }
  }

  /** The server accepts no new requests; background work is finished first. */
  async shutdown() {
    const purges = await this.app.container.make(Purges)
    const background = await this.app.container.make(Background)
    purges.stop()
    await background.settled()
  }
}
