import { FeatureProvider } from '#auth/feature_provider'
import { type ResolvedSocialConfig, defineConfig } from '#social/define_config'
import { Social } from '#social/social'
import { DocumentFetcher } from '#http/document_fetcher'
import { csrfExempt } from '#http/route_marks'
import { DatabaseSocialStore, MemorySocialStore } from '#social/store'
import { Background } from '#process/background'

const Logout = () => import('adonis-auth-kit/social/controllers/back_channel_logout_controller')

/** Signing in through Google, GitHub and others: the `social` feature. It asks the feature `emailVerification` whose address is verified. */
export default class SocialProvider extends FeatureProvider {
  override register() {
    super.register()
    /* The OAuth server has one with limits of its own. */
    if (!this.app.container.hasBinding(DocumentFetcher)) {
      this.app.container.singleton(DocumentFetcher, () => new DocumentFetcher({ maxBytes: 5120 }))
    }
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const config = this.config('social', defineConfig)
    const store = await this.store(config, MemorySocialStore, DatabaseSocialStore)
    const social = new Social(config, {
      manager,
      store,
      organisations: config.store === 'database' ? await this.#organisations(config) : null,
      background: await this.app.container.make(Background),
      appUrl: this.app.config.get('app.appUrl'),
    })
    manager.registerFeature('social', social)
    manager.accountAccess.add(social.identities.access)
    const purge = async () => store.used.purge(Date.now())
    await this.purge('used states of sign-ins through providers', purge)
  }

  /** Sign-ins need sessions and addresses that are verified, and so do their ends. */
  async start() {
    const manager = await this.make('auth_manager')
    if (manager.feature('sessions') && manager.feature('emailVerification')) {
      const router = await this.make('router')
      const path = '/auth/:name/backchannel-logout'
      router.post(path, [Logout, 'store']).as('back_channel_logout').use(csrfExempt)
      const edge = await this.edge()
      edge?.global('socialProviders', () => manager.feature('social')?.providers ?? [])
    }
  }

  async #organisations({ connection }: ResolvedSocialConfig) {
    const { Organisations } = await import('#social/organisations')
    const encryption = await this.make('encryption')
    const db = await this.make('lucid.db')
    return new Organisations({
      manager: await this.make('auth_manager'),
      encryption: encryption.use(),
      client: () => db.connection(connection),
      fetcher: () => this.app.container.make(DocumentFetcher),
      allowsLoopback: this.app.inDev || this.app.inTest,
    })
  }
}
