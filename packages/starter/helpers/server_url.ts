import app from '@adonisjs/core/services/app'

/** Where the test server listens. */
export async function serverUrl(path = ''): Promise<string> {
  const server = await app.container.make('server')
  const { port } = server.getNodeServer()!.address() as { port: number }
  return `http://127.0.0.1:${port}${path}`
}
