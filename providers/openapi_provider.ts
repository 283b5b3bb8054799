import KitOpenApiProvider from 'adonis-auth-kit/providers/openapi_provider'

/** The description of the HTTP interface: `config/openapi.ts`. Needs AuthProvider. */
export default class OpenApiProvider extends KitOpenApiProvider {}
