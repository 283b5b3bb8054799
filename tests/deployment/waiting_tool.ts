import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const TOOL = `import { access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import type { McpRequest } from '#mcp/request'
import { Response } from '#mcp/response'
import { Tool } from '#mcp/tool'

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

/** Gives the application a tool that shows whether its answer is held back on the way. */
export async function addWaitingTool(project: string): Promise<void> {
  await writeFile(join(project, 'app/mcp/tools/wait_for_release.ts'), TOOL)
  const file = join(project, 'app/mcp/servers/blog_server.ts')
  const server = await readFile(file, 'utf8')
  await writeFile(
    file,
    `import WaitForRelease from '#mcp/tools/wait_for_release'\n` +
      server.replace('return [SearchPosts,', 'return [WaitForRelease, SearchPosts,')
  )
}
