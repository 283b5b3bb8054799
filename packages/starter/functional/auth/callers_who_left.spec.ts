import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type Socket, connect } from 'node:net'
import { mock } from 'node:test'

import { Bcrypt } from '@adonisjs/core/hash/drivers/bcrypt'
import server from '@adonisjs/core/services/server'
import { getActiveTest, test } from '@japa/runner'

import { rawPost } from '#starter/helpers/raw_socket'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const CREDENTIALS = { email: 'nobody@example.com', password: 'not my secret' }
const LOGIN = rawPost(
  '/login',
  { 'Content-Type': 'application/json', 'X-Leaves': 'yes' },
  JSON.stringify(CREDENTIALS)
)

/** Sends a login and leaves when it has arrived; resolves when the server knows. */
async function loginAndLeave() {
  const { hostname, port } = new URL(await serverUrl())
  const node = server.getNodeServer()!
  const arrived = Promise.withResolvers<Socket>()
  const watch = ({ headers, socket }: IncomingMessage) =>
    headers['x-leaves'] && arrived.resolve(socket)
  node.on('request', watch)
  const client = connect(Number(port), hostname)
  client.write(LOGIN.join(''))
  const socket = await arrived.promise
  const left = once(socket, 'close')
  node.off('request', watch)
  client.destroy()
  await left
}

test.group('Callers who have left', () => {
  test('no password is hashed for them, and those who stay are answered', async ({ assert }) => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const verify = mock.method(Bcrypt.prototype, 'verify', async () => {
      begun.resolve()
      await goOn.promise
      return false
    })
    getActiveTest()!.cleanup(() => verify.mock.restore())

    const staying = Array.from({ length: 4 }, () =>
      new Visitor().post('/login', { json: CREDENTIALS })
    )
    await begun.promise
    for (let count = 0; count < 10; count++) {
      await loginAndLeave()
    }
    goOn.resolve()
    assert.deepEqual(
      (await Promise.all(staying)).map(({ status }) => status),
      [401, 401, 401, 401]
    )
    await new Visitor().post('/login', { json: CREDENTIALS })
    assert.equal(verify.mock.callCount(), 5)
  })
})
