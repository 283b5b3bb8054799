import string from '@adonisjs/core/helpers/string'

import {
  assertArgument,
  assertKind,
  markResolved,
  positiveNumber,
  withDefaults,
} from '#config/checks'
import { type StoreConfig, withStore } from '#config/store_config'
import type { TaskStore } from '#mcp/tasks/task_store'

/** The settings of `config/mcp.ts`. */
export interface McpConfig {
  /**
   * Origins of web pages that may call the endpoint ("https://app.example.com"). A request
   * without an `Origin` header passes: only browsers send one.
   */
  allowedOrigins: string[]

  /**
   * Host names the endpoint answers to (the `Host` header without its port). Loopback names
   * always pass. Any other name is refused: it may be a DNS rebinding attack.
   */
  allowedHosts: string[]

  /**
   * Public URL of the application. The URL of a protected mount starts with it, and access tokens are
   * bound to that; the `Host` header never decides.
   */
  url: string

  /** Largest request body: a number of bytes, or an expression such as "1mb". */
  bodyLimit: number | string

  /** Items on one page of a list, unless the server class sets its own `pageSize`. */
  pageSize: number

  /** How long the state of `Response.inputRequired` stays valid: seconds, or an expression such as "10 minutes". */
  requestStateTtl: number | string

  /** How long a call may take: seconds, or an expression such as "60 seconds". */
  callTimeout: number | string

  /** How long calls may go on after the server has begun to stop: seconds, or an expression. */
  stopTimeout: number | string

  /**
   * Connection of `config/redis.ts` by which processes share `notifications/cancelled` and updates of
   * resources. Null: a cancellation takes effect only in the process that runs the call, and updates
   * travel through the database of `tasks`.
   */
  redisConnection: string | null

  /** Where tasks are kept, calls that go on after they were answered (Tasks extension), and questions on pages. */
  tasks: StoreConfig<TaskStore>

  /** How long a task is kept, from its creation: seconds, or an expression. */
  taskTtl: number | string

  /** How long a handler may work on a task without asking for input: seconds, or an expression. */
  taskTimeout: number | string
}

/** Numbers, or texts that say one. */
const EXPRESSIONS: (keyof McpConfig)[] = [
  ...(['bodyLimit', 'requestStateTtl', 'callTimeout', 'stopTimeout', 'taskTtl'] as const),
  'taskTimeout',
]

/** The settings with every expression converted to bytes or milliseconds. */
export type ResolvedMcpConfig = ReturnType<typeof defineConfig>

/** @throws {InvalidArgumentsException} for an unknown setting, a malformed URL or a limit below 1 */
export function defineConfig(config: Partial<McpConfig> = {}) {
  const defaults = {
    allowedOrigins: [],
    allowedHosts: [],
    bodyLimit: '1mb',
    pageSize: 50,
    requestStateTtl: '10 minutes',
    callTimeout: '60 seconds',
    stopTimeout: '5 seconds',
    redisConnection: null as string | null,
    tasks: {} as StoreConfig<TaskStore>,
    taskTtl: '1 hour',
    taskTimeout: '15 minutes',
    url: undefined,
  }
  const settings = withDefaults('McpConfig', config, defaults, { whole: true, except: EXPRESSIONS })
  const { tasks, url } = settings
  assertKind('McpConfig', 'allowedHosts', settings.allowedHosts, 'a list of texts')
  return markResolved({
    allowedOrigins: new Set(settings.allowedOrigins.map(origin)),
    allowedHosts: new Set(settings.allowedHosts.map((host) => host.toLowerCase())),
    bodyLimit: whole('bodyLimit', () => string.bytes.parse(settings.bodyLimit)),
    pageSize: settings.pageSize,
    requestStateTtl: duration('requestStateTtl', settings.requestStateTtl),
    callTimeout: timer('callTimeout', settings.callTimeout),
    stopTimeout: timer('stopTimeout', settings.stopTimeout),
    redisConnection: settings.redisConnection,
    tasks: withStore('McpConfig "tasks"', tasks, 'memory', {}),
    taskTtl: duration('taskTtl', settings.taskTtl),
    taskTimeout: timer('taskTimeout', settings.taskTimeout),
    url: url === undefined ? null : publicUrl(url),
  })
}

/** Without a trailing slash. */
function publicUrl(value: string): string {
  const fault = `McpConfig: "url" must be an http(s) URL without query and fragment: "${value}"`
  assertArgument(URL.canParse(value) && /^https?:\/\/[^?#]+$/i.test(value), fault)
  return new URL(value).href.replace(/\/+$/, '')
}

function origin(value: string): string {
  const other = `McpConfig: "${value}" in "allowedOrigins" is not an origin (scheme, host and port, nothing more)`
  assertArgument(URL.canParse(value) && new URL(value).origin === value.toLowerCase(), other)
  return value.toLowerCase()
}

/** Seconds, or an expression, in milliseconds. */
function duration(setting: string, value: number | string): number {
  return whole(setting, () => string.seconds.parse(value)) * 1000
}

/** Node.js counts the milliseconds of a timer in 31 bits, and fires a longer one at once. */
const MAX_TIMER = 2 ** 31 - 1

function timer(setting: string, value: number | string): number {
  const milliseconds = duration(setting, value)
  assertArgument(milliseconds <= MAX_TIMER, `McpConfig: "${setting}" must be at most 24 days`)
  return milliseconds
}

/** What cannot be read is no number. */
function whole(setting: string, read: () => number | null): number {
  let value = Number.NaN
  try {
    value = read() ?? value
  } catch {}
  return positiveNumber('McpConfig', setting, value, { whole: true })
}
