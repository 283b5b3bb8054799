export { ApiToken } from '#api_token/facade'
export type { ApiTokenRepository } from '#api_token/token'
