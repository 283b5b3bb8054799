import { FeatureProvider } from '#auth/feature_provider'
import { sesameDriver } from '#auth/guards/sesame'
import { ProtectedResources } from '#auth/protected_resources'

/** Protects MCP mounts with access tokens of Sésame (`@julr/sesame`): the driver `sesame`. Comes before McpProvider. */
export default class AuthSesameProvider extends FeatureProvider {
  async boot() {
    const { OAuthGuard, SesameManager } = await import('@julr/sesame')
    const sesame = await this.app.container.make(SesameManager)
    const manager = await this.make('auth_manager')
    const emitter = await this.make('emitter')
    manager.registerDriver(sesameDriver({ Guard: OAuthGuard, manager: sesame, emitter }))

    const { issuer, allowDynamicRegistration, allowPublicRegistration } = sesame.config
    const resources = new ProtectedResources(manager, {
      driver: 'sesame',
      issuer,
      admission: {
        documents: false,
        registration: allowDynamicRegistration && allowPublicRegistration,
        otherwise: `set allowDynamicRegistration and allowPublicRegistration in config/sesame.ts, or register them with createClient() of Sésame`,
      },
      proofAlgorithms: [],
      describesRoot: true,
      serve: () => {},
    })
    manager.registerFeature('protectedResources', resources)
  }
}
