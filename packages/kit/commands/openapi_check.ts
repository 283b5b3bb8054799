import { OpenApi } from '#openapi/openapi'
import { StartedCommand } from '#process/kit_command'

/** Names the routes of which the description knows nothing; exit code 1 when there are any. */
export default class OpenApiCheck extends StartedCommand {
  static commandName = 'openapi:check'
  static description = 'Name the routes that the OpenAPI description knows nothing of'

  async run() {
    const openapi = await this.bound(OpenApi, 'OpenApiProvider')
    const unknown = await openapi.unknown()
    unknown.forEach((route) => this.logger.error(`Nothing is known of ${route}`))
    if (unknown.length) {
      this.logger.log('Describe them with describeRoutes in start/openapi: see docs/openapi.md')
      this.exitCode = 1
      return
    }
    this.logger.success('Every route is described, or a page')
  }
}
