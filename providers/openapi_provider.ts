import KitOpenApiProvider from 'adonis-auth-kit/providers/openapi_provider'

/** The description of the HTTP interface, by `config/openapi.ts`. Needs AuthProvider before it. */
export default class OpenApiProvider extends KitOpenApiProvider {}
