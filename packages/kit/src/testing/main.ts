export { authApiClient, mcpApiClient } from '#testing/api_client'
export { mcp } from '#testing/mcp'
