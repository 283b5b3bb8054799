import { FeatureProvider } from '#auth/feature_provider'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { issuerPath } from '#oauth2/settings'
import { defineConfig } from '#openapi/define_config'
import { OpenApi, type OpenApiSources } from '#openapi/openapi'
import { oauthGuards } from '#openapi/security'
import { openApiRoute, viewerRoutes } from '#openapi/viewer'
import { SessionService } from '#session/session_service'

/** The description of the HTTP interface (OpenAPI 3.1): `/openapi.json` and the commands. */
export default class OpenApiProvider extends FeatureProvider {
  override register() {
    super.register()
    this.app.container.singleton(
      OpenApi,
      () => new OpenApi(this.#config.served, () => this.#sources())
    )
  }

  async start() {
    const openapi = await this.app.container.make(OpenApi)
    openapi.describe([
      () => import('#openapi/kit_routes/oauth2'),
      () => import('#openapi/kit_routes/accounts'),
      () => import('#openapi/kit_routes/workspaces_and_mcp'),
      () => this.#mcpRoutes(),
    ])
    const router = await this.make('router')
    openApiRoute(router, openapi)
    if (this.#config.served) {
      viewerRoutes(router, this.app)
    }
  }

  get #config() {
    return this.config('openapi', defineConfig)
  }

  async #mcpRoutes() {
    const { mcpRoutes } = await import('#openapi/kit_routes/workspaces_and_mcp')
    const { container } = this.app
    const mcp = container.hasBinding('mcp') ? await container.make('mcp') : null
    const guards = oauthGuards(await container.make('auth_manager'))
    return { default: mcpRoutes(mcp?.mounts ?? [], guards) }
  }

  async #sources(): Promise<OpenApiSources> {
    const { container, config } = this.app
    const url = config.get<string>('app.appUrl').replace(/\/$/, '')
    const ifBound = async <Service>(service: new (...args: any[]) => Service) =>
      container.hasBinding(service) ? ((await container.make(service)) as Service) : null
    const server = await ifBound(AuthorizationServer)
    const oauth2 = server?.config ?? null
    return {
      router: await container.make('router'),
      manager: await container.make('auth_manager'),
      sessions: await ifBound(SessionService),
      oauth2,
      issuer: oauth2?.issuer ?? url,
      issuerPath: issuerPath(oauth2?.issuer ?? null),
      url,
      name: config.get('app.appName', 'Application'),
      version: this.#config.version,
    }
  }
}
