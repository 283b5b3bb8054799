import { FeatureProvider } from '#auth/feature_provider'
import { type ResolvedPasskeysConfig, defineConfig, isUsableHost } from '#passkeys/define_config'
import { usedChallenges } from '#passkeys/database'
import { Passkeys } from '#passkeys/passkeys'

/** Passkeys: people sign in and confirm with a key that their device keeps. */
export default class AuthPasskeysProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const emitter = await this.make('emitter')
    const passkeys = new Passkeys(this.#config, { features: manager, emitter })
    manager.registerFeature('passkeys', passkeys)
    manager.accountAccess.add(passkeys.access)
    await this.purge('used challenges of passkeys', () => usedChallenges.purge(Date.now()))
    const edge = await this.edge()
    edge?.global('hasPasskeys', true)
  }

  async ready() {
    if (this.app.getEnvironment() === 'web' && !isUsableHost(this.#config.rpId)) {
      await this.warn(
        'Browsers take no passkeys for an IP address: use a host name in APP_URL, e.g. http://localhost:3333'
      )
    }
  }

  get #config(): ResolvedPasskeysConfig {
    return this.requireConfig('passkeys', defineConfig)
  }
}
