import type { ApplicationService } from '@adonisjs/core/types'

import { defineConfig, type ResolvedMcpConfig } from '#mcp/define_config'
import { announcer } from '#mcp/events'
import { McpManager } from '#mcp/manager'
import { runningCalls } from '#mcp/protocol/running_calls'
import { shareByRedis } from '#mcp/redis_cancellations'
import { Server } from '#mcp/server'
import { DatabaseSignals } from '#mcp/subscriptions/database_signals'
import { RedisSignals } from '#mcp/subscriptions/redis_signals'
import { LocalSignals, type Signals } from '#mcp/subscriptions/signals'
import type { TaskStore } from '#mcp/tasks/task_store'
import { Tasks } from '#mcp/tasks/tasks'
import { requireConfig } from '#config/file'
import { Purges } from '#database/purges'
import { createStore } from '#config/store_config'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    mcp: McpManager
  }
}

/** Seconds between two purges of expired tasks. */
const PURGE_INTERVAL = 300

/** MCP: binds the manager as `mcp`. `start/mcp.ts` mounts the servers. */
export default class McpProvider {
  #manager?: McpManager

  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('mcp', async (resolver) => {
      const config = requireConfig(this.app.config, 'mcp', defineConfig)
      const emitter = await resolver.make('emitter')
      const router = await resolver.make('router')
      const manager = new McpManager(this.app, router, config, announcer(emitter))
      manager.tasks = new Tasks(await this.#taskStore(config), config)
      manager.subscriptions.signals = await this.#signals(config)
      return manager
    })
  }

  async boot() {
    const manager = await this.app.container.make('mcp')
    this.#manager = manager
    manager.addMetadataRoutes()
    Server.manager = manager
    if (this.app.container.hasBinding(Purges)) {
      const purges = await this.app.container.make(Purges)
      const run = async () => manager.tasks!.purge()
      purges.add({ name: 'expired MCP tasks', interval: PURGE_INTERVAL, run })
      const { signals } = manager.subscriptions
      if ('purge' in signals) {
        const forget = async () => (signals as DatabaseSignals).purge(Date.now())
        purges.add({ name: 'old MCP updates', interval: PURGE_INTERVAL, run: forget })
      }
    }
  }

  async start() {
    await this.#useFeatures()
  }

  async ready() {
    const manager = await this.app.container.make('mcp')
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
    await this.#warnWithoutIssuer(manager)
    await this.#shareCancellations(manager)
  }

  /** Work on tasks ends with an outcome that is stored while the database is there. */
  async shutdown() {
    await this.#manager?.tasks!.stop()
    await this.#manager?.subscriptions.signals.close()
  }

  #taskStore({ tasks }: ResolvedMcpConfig) {
    return createStore<TaskStore>(tasks, {
      memory: async () => {
        const { MemoryTaskStore } = await import('#mcp/tasks/memory_task_store')
        return new MemoryTaskStore()
      },
      database: async () => {
        const { DatabaseTaskStore } = await import('#mcp/tasks/database_task_store')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseTaskStore(() => db.connection(tasks.connection))
      },
    })
  }

  /** How updates travel: by Redis where it is set up, else through the database where tasks are. */
  async #signals({ redisConnection, tasks }: ResolvedMcpConfig): Promise<Signals> {
    const logger = await this.app.container.make('logger')
    if (redisConnection !== null) {
      const redis = await this.app.container.make('redis')
      return new RedisSignals(redis.connection(redisConnection as never), logger)
    }
    if (tasks.store !== 'database') {
      return new LocalSignals()
    }
    const db = await this.app.container.make('lucid.db')
    return new DatabaseSignals(() => db.connection(tasks.connection), logger)
  }

  /** In a server only: commands run no calls that another process could cancel. */
  async #shareCancellations({ config: { redisConnection } }: McpManager) {
    if (redisConnection === null || this.app.getEnvironment() !== 'web') {
      return
    }
    const redis = await this.app.container.make('redis')
    const logger = await this.app.container.make('logger')
    shareByRedis(redis.connection(redisConnection as never), runningCalls, logger)
  }

  /** The metadata names the origin of `url` then, and tokens are not bound to an issuer. */
  async #warnWithoutIssuer(manager: McpManager) {
    if (this.app.inProduction && manager.hasUnknownIssuer) {
      const logger = await this.app.container.make('logger')
      logger.warn('Set OAUTH_ISSUER: MCP clients look for the authorization server under that URL')
    }
  }

  /**
   * Without the OAuth server, protected mounts accept nobody, and optional ones anonymous callers.
   * Without throttling, calls have no limit.
   */
  async #useFeatures() {
    if (!this.app.container.hasBinding('auth_manager')) {
      return
    }
    const auth = await this.app.container.make('auth_manager')
    const manager = await this.app.container.make('mcp')
    const resources = auth.feature('protectedResources')
    if (resources) {
      manager.useResourceServer(resources)
    }
    manager.useThrottle(() => auth.feature('throttle'))
  }
}
