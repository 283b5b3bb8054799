import { once } from 'node:events'
import { connect } from 'node:net'

import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import type { RedisConnectionConfig } from '@adonisjs/redis/types'

import { type Finding, type ProductionSettings, error, ok, warning } from '#doctor/settings'

const PURPOSE = 'doctor'
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']

/** How a request has arrived, which tells whether its proxies are known. */
export type ArrivedRequest = NonNullable<ReturnType<typeof describeArrival>>

/** Proves to the application that whoever asks has its key. */
export function proveDoctor(): string {
  return encryption.encrypt(true, { expiresIn: '1 minute', purpose: PURPOSE })
}

/** How a request of the doctor has arrived; null for everybody else's. */
export function describeArrival({ request }: HttpContext) {
  const proof = request.header('x-doctor')
  if (!proof || encryption.decrypt(proof, PURPOSE) !== true) {
    return null
  }
  /* The address at the other end of the connection: the last proxy, if there is one. */
  const peer = request.request.socket.remoteAddress ?? ''
  const trusts = app.config.get<(address: string, hop: number) => boolean>('app.http.trustProxy')
  const isTrusted = trusts(peer, 0)
  const forwarded = FORWARDED.filter((name) => request.header(name) !== undefined)
  return { peer, isTrusted, forwarded, protocol: request.protocol(), host: request.host() }
}

/** Milliseconds. */
const PATIENCE = 3000

/** Whether the mail server and Redis answer, where they are used. Redis behind other addresses than its own, a cluster or Sentinel, is not asked. */
export async function examineServices({ mailer, limiterStore }: Partial<ProductionSettings>) {
  const { SMTP_HOST, SMTP_PORT } = process.env
  const smtp = [SMTP_HOST || 'localhost', Number(SMTP_PORT || 587)] as const
  const redis = app.config.get<RedisConnectionConfig>(
    `redis.connections.${app.config.get('redis.connection')}`
  )
  const used = [
    mailer === 'smtp' && examineService('mail server', ...smtp, 'SMTP_HOST and SMTP_PORT'),
    limiterStore === 'redis' &&
      !('clusters' in redis || 'sentinels' in redis) &&
      examineRedis(redis),
  ]
  return Promise.all(used.filter((one) => one !== false))
}

/** @param settings names of those that the address comes from */
export async function examineService(about: string, host: string, port: number, settings: string) {
  const address = `${host}:${port}`
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE) })
    return ok(about, `${address} answers`)
  } catch {
    return error(about, `${address} does not answer: check ${settings}, and the network`)
  } finally {
    socket.destroy()
  }
}

/** One that wants another password is reached, too, and refuses every command. */
async function examineRedis(settings: RedisConnectionConfig): Promise<Finding> {
  const [host, port] = [settings.host ?? '127.0.0.1', Number(settings.port ?? 6379)]
  const reached = await examineService('Redis', host, port, 'REDIS_HOST and REDIS_PORT')
  if (reached.level !== 'ok') {
    return reached
  }
  const { RedisConnection } = await import('@adonisjs/redis')
  const redis = new RedisConnection('doctor', {
    ...{ ...settings, commandTimeout: PATIENCE, retryStrategy: null },
    ...{ maxRetriesPerRequest: 0, enableReadyCheck: false },
  })
  try {
    await redis.ping()
    return reached
  } catch ({ message }: any) {
    const text = `${host}:${port} refuses commands (${message}): check REDIS_USERNAME, REDIS_PASSWORD and REDIS_TLS`
    return error('Redis', text)
  } finally {
    await redis.disconnect()
  }
}

/** Asks the running application, through its proxies, how a request arrives. */
export async function examineProxy(appUrl: string, proof: string): Promise<Finding> {
  const response = await fetch(new URL('/health/live', appUrl), {
    headers: { 'x-doctor': proof },
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(() => null)
  if (!response?.ok) {
    const text = `${appUrl} does not answer: start the application to have its proxies checked`
    return warning('proxy', text)
  }
  const { arrival } = (await response.json().catch(() => ({}))) as { arrival?: ArrivedRequest }
  return arrival
    ? judgeArrival(arrival, appUrl)
    : warning('proxy', `${appUrl} is another application, or has another APP_KEY`)
}

export function judgeArrival(arrival: ArrivedRequest, appUrl: string): Finding {
  const { peer, isTrusted, forwarded, protocol, host } = arrival
  const expected = new URL(appUrl)
  if (forwarded.length && !isTrusted) {
    const text = `requests come through ${peer}, which is not trusted: every caller has its address. Add it to TRUST_PROXY`
    return error('proxy', text)
  }
  if (`${protocol}:` !== expected.protocol) {
    const text = `requests arrive as ${protocol}, and APP_URL is ${expected.protocol.slice(0, -1)}: let the proxy send X-Forwarded-Proto`
    return error('proxy', text)
  }
  if (host !== expected.host) {
    const text = `requests arrive for ${host}, and APP_URL is ${expected.host}: let the proxy keep the Host header`
    return warning('proxy', text)
  }
  return ok('proxy', forwarded.length ? `${peer} is trusted` : 'none in front')
}
