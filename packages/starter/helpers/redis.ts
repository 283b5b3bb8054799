import { once } from 'node:events'
import { connect } from 'node:net'

async function hasRedis() {
  const { REDIS_HOST = '127.0.0.1', REDIS_PORT = '6379' } = process.env
  const socket = connect(Number(REDIS_PORT), REDIS_HOST)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Whether a Redis answers where the application looks for it; tests that need one are skipped without. */
export const redisIsThere = await hasRedis()
