import emitter from '@adonisjs/core/services/emitter'
import { getActiveTest } from '@japa/runner'

import { defineConfig } from '#kit/passkeys/define_config'
import { Passkeys } from '#kit/passkeys/passkeys'
import { authManager } from '#starter/helpers/passwords'
import { serverUrl } from '#starter/helpers/server_url'

/** Lets passkeys belong to `localhost` with the port of the test server, until the test ends: an address can have none. */
export async function usePasskeys(): Promise<{ origin: string; rpId: string }> {
  const manager = await authManager()
  const original = manager.feature('passkeys')!
  const { port } = new URL(await serverUrl())
  const [rpId, origin] = ['localhost', `http://localhost:${port}`]
  const config = defineConfig({ name: 'Tests', rpId, origins: [origin] })
  manager.registerFeature('passkeys', new Passkeys(config, { features: manager, emitter }))
  getActiveTest()!.cleanup(() => {
    manager.registerFeature('passkeys', original)
  })
  return { origin, rpId }
}
