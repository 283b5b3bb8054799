import { Unauthenticated } from '#auth/errors'
import { FeatureProvider } from '#auth/feature_provider'
import { countBy } from '#mcp/caller'
import { defineConfig, type ResolvedMcpConfig } from '#mcp/define_config'
import type { Announce } from '#mcp/protocol/call'
import { McpManager } from '#mcp/manager'
import { runningCalls, shareByRedis } from '#mcp/protocol/running_calls'
import { Server } from '#mcp/server'
import { DatabaseSignals, LocalSignals, RedisSignals } from '#mcp/subscriptions/signals'
import { DatabaseTaskStore, MemoryTaskStore } from '#mcp/tasks/task_store'
import { Tasks } from '#mcp/tasks/tasks'
import { Purges } from '#database/purges'
import { nullFor } from '#process/null_for'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    mcp: McpManager
  }
}

/** MCP: binds the manager as `mcp`. `start/mcp.ts` mounts the servers. */
export default class McpProvider extends FeatureProvider {
  #manager?: McpManager

  override register() {
    this.app.container.singleton(McpManager, async (resolver) => {
      const config = this.requireConfig('mcp', defineConfig)
      const emitter = await resolver.make('emitter')
      const router = await resolver.make('router')
      const announce: Announce = (outcome, event) => void emitter.emit(`mcp:${outcome}`, event)
      const manager = new McpManager(this.app, router, config, announce)
      const tasks = await this.store(config.tasks, MemoryTaskStore, DatabaseTaskStore)
      manager.tasks = new Tasks(tasks, config)
      manager.subscriptions.signals = await this.#signals(config)
      return manager
    })
    this.app.container.alias('mcp', McpManager)
  }

  async boot() {
    const manager = await this.make('mcp')
    this.#manager = manager
    Server.manager = manager
    if (this.app.container.hasBinding(Purges)) {
      await this.purge('expired MCP tasks', async () => manager.tasks!.purge())
      const { signals } = manager.subscriptions
      if (signals instanceof DatabaseSignals) {
        await this.purge('old MCP updates', () => signals.purge(Date.now()))
      }
    }
  }

  /** Without the OAuth server protected mounts accept nobody; without throttling, calls have no limit. */
  async start() {
    if (!this.app.container.hasBinding('auth_manager')) {
      return
    }
    const auth = await this.make('auth_manager')
    const manager = await this.make('mcp')
    const resources = auth.feature('protectedResources')
    if (resources) {
      manager.useResourceServer(resources)
    }
    manager.count = countBy(() => auth.feature('throttle'))
    manager.subscriptions.workspaceOf = async (ctx) => {
      const found = auth.feature('workspaces')?.resolve(ctx)
      const workspace = await found?.catch(nullFor(Unauthenticated))
      return workspace?.id ?? null
    }
  }

  async ready() {
    const manager = await this.make('mcp')
    /*
    | Registered after the HTTP server's own handler, so it runs before that one waits for all answers. And
    | before anything that takes time: calls arrive already.
    */
    this.app.terminating(() => {
      manager.subscriptions.stop()
      runningCalls.stopAfter(manager.config.stopTimeout)
    })
    /* Commands import the classes of the servers that they show or serve. */
    if (this.app.getEnvironment() !== 'console') {
      await manager.prepare()
    }
    /* The metadata names the origin of `url` then, and tokens are not bound to an issuer. */
    if (this.app.inProduction && manager.hasUnknownIssuer) {
      await this.warn(
        'Set OAUTH_ISSUER: MCP clients look for the authorization server under that URL'
      )
    }
    /* In a server only: commands run no calls that another process could cancel. */
    const { redisConnection } = manager.config
    if (redisConnection !== null && this.app.getEnvironment() === 'web') {
      const logger = await this.make('logger')
      shareByRedis(await this.#redis(redisConnection), runningCalls, logger)
    }
  }

  /** Work on tasks ends with an outcome that is stored while the database is there. */
  async shutdown() {
    await this.#manager?.tasks!.stop()
    await this.#manager?.subscriptions.signals.close()
  }

  /** How updates travel: by Redis where it is set up, else through the database where tasks are. */
  async #signals({ redisConnection, tasks }: ResolvedMcpConfig): Promise<LocalSignals> {
    const logger = await this.make('logger')
    /* Redis connects at once, and "codegen" would never end. */
    if (redisConnection !== null && this.app.getMode() === 'run') {
      return new RedisSignals(await this.#redis(redisConnection), logger)
    }
    if (tasks.store !== 'database') {
      return new LocalSignals()
    }
    const db = await this.make('lucid.db')
    return new DatabaseSignals(() => db.connection(tasks.connection), logger)
  }

  async #redis(connection: string) {
    const redis = await this.make('redis')
    return redis.connection(connection as never)
  }
}
