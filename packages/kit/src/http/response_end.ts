import type { Socket } from 'node:net'

import type { HttpResponse } from '@adonisjs/core/http'

import { rememberedOf } from '#process/remembered'

/** Who waits for the end of a connection: one listener each, however many requests it carries. */
const waitersOf = rememberedOf((socket: Socket) => {
  const waiters = new Set<() => void>()
  socket.once('close', () => waiters.forEach((end) => end()))
  return waiters
})

/**
 * Calls back once: when the response has been sent, or its connection is gone. AdonisJS's `onFinish` never hears of one
 * that was waiting behind another on its connection (pipelining, RFC 9112 §9.3.2), because it never got its socket.
 */
export function onResponseEnd({ request, response }: HttpResponse, callback: () => void): void {
  const { socket } = request
  if (response.writableEnded || response.closed || socket.destroyed) {
    setImmediate(callback)
    return
  }
  const waiters = waitersOf(socket)
  const end = () => {
    response.off('finish', end).off('close', end)
    waiters.delete(end)
    callback()
  }
  response.once('finish', end).once('close', end)
  waiters.add(end)
}
