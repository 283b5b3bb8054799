import { defineConfig } from 'adonis-auth-kit/mcp/define_config'
import { appUrl } from '#config/app'
import env from '#start/env'

const { origin, hostname } = new URL(appUrl)

/** Who may call the MCP endpoints, and within which limits. */
export default defineConfig({
  /** Pages of these origins. Programs send no Origin and pass. */
  allowedOrigins: [origin],

  /** Names the endpoint answers to, beside localhost, 127.0.0.1 and [::1]. */
  allowedHosts: [hostname],

  /** Where clients reach the application: the URLs of protected mounts start with it. */
  url: appUrl,

  /** Largest request body: bytes, or an expression. */
  bodyLimit: '1mb',

  /** Items on one page of a list; a server class may set its own. */
  pageSize: 50,

  /** How long a person may take to answer a tool's question: seconds, or an expression. */
  requestStateTtl: '10 minutes',

  /** How long a call may take: seconds, or an expression. */
  callTimeout: '60 seconds',

  /** How long calls may go on after the server has begun to stop: seconds, or an expression. */
  stopTimeout: '5 seconds',

  /**
   * Connection of config/redis.ts by which processes tell each other that a client has cancelled a
   * call, or that a resource has changed. Null: a call can be cancelled only in the process that runs it,
   * and changes travel through the database.
   */
  redisConnection: env.get('MCP_REDIS_CONNECTION') ?? null,

  /** Where calls are kept that go on after they were answered: tools with a "taskSupport". */
  tasks: { store: 'database' },

  /** How long a task is kept, and how long its handler may work at a stretch. */
  taskTtl: '1 hour',
  taskTimeout: '15 minutes',
})
