import { defineConfig } from '#mcp/define_config'
import { appUrl } from '#config/app'

const { origin, hostname } = new URL(appUrl)

/** Who may call the MCP endpoints, and within which limits. */
export default defineConfig({
  /** Pages of these origins. Programs send no Origin and pass. */
  allowedOrigins: [origin],

  /** Names the endpoint answers to, beside localhost, 127.0.0.1 and [::1]. */
  allowedHosts: [hostname],

  /** Where clients reach the application: the URLs of protected mounts start with it. */
  url: appUrl,

  /** Largest request body: bytes, or an expression. */
  bodyLimit: '1mb',

  /** Items on one page of a list; a server class may set its own. */
  pageSize: 50,

  /** How long a person may take to answer a tool's question: seconds, or an expression. */
  requestStateTtl: '10 minutes',

  /** How long a call may take: seconds, or an expression. */
  callTimeout: '60 seconds',
})
