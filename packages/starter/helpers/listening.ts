import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

import { getActiveTest } from '@japa/runner'

/** Lets a server listen until the test ends. @returns its port, a free one of this machine */
export async function listenForTest(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  getActiveTest()!.cleanup(() => {
    if (server instanceof HttpServer) {
      server.closeAllConnections()
    }
    server.close()
  })
  return (server.address() as AddressInfo).port
}
