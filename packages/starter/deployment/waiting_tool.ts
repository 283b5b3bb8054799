import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const TOOL = `import { access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Tool } from '#kit/mcp/primitives'

const isReleased = () => access(process.env.RELEASE_FILE!).then(() => true, () => false)

export default class WaitForRelease extends Tool {
  static override name = 'wait_for_release'
  static override description = 'Reports progress, and ends when a file is there.'

  async handle(_args: object, request: McpRequest) {
    request.progress(1, 2)
    while (!(await isReleased())) {
      await sleep(20, undefined, { signal: request.signal })
    }
    return Response.text('released')
  }
}
`

const SERVER = `import { Server } from '#kit/mcp/server'
import WaitForRelease from '#mcp/tools/wait_for_release'

export default class WaitingServer extends Server {
  static override name = 'waiting'
  static override tools = () => [WaitForRelease]
}
`

/** Where the tool is called. */
export const WAITING = '/mcp/waiting'

/** Gives the application a tool that shows whether its answer is held back on the way. */
export async function addWaitingTool(project: string): Promise<void> {
  await writeFile(join(project, 'app/mcp/tools/wait_for_release.ts'), TOOL)
  await writeFile(join(project, 'app/mcp/servers/waiting_server.ts'), SERVER)
  const mount = `\nmountServer('${WAITING}', () => import('#mcp/servers/waiting_server'))\n`
  await appendFile(join(project, 'start/mcp.ts'), mount)
}
