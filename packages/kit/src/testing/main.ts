export { authApiClient } from '#testing/auth_api_client'
export { mcp } from '#testing/mcp'
export { mcpApiClient } from '#testing/mcp_api_client'
