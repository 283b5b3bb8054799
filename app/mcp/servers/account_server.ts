import { Server } from 'adonis-auth-kit/mcp'
import MyApiTokens from '#mcp/tools/my_api_tokens'
import MyConnectedApps from '#mcp/tools/my_connected_apps'
import MySessions from '#mcp/tools/my_sessions'
import WhoAmI from '#mcp/tools/who_am_i'

/** Shows users what the application knows of their account. */
export default class AccountServer extends Server {
  static override name = 'account'
  static override title = 'Account'
  static override description = 'Who is signed in, and what has access to the account.'
  static override instructions =
    'Who the user is, where they are signed in, and what can act for them. Nothing here changes anything.'

  static override tools() {
    return [
      WhoAmI,
      MySessions,
      // feature: api_token
      MyApiTokens,
      // /feature
      MyConnectedApps,
    ]
  }
}
