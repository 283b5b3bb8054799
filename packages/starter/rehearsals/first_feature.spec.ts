import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { test } from '@japa/runner'

import { pageBlocks } from '#starter/helpers/document_blocks'
import { follow } from '#starter/helpers/page_steps'
import { COPY_VARIABLES, copyDatabase, copyProject } from '#starter/helpers/project_copy'
import { startTogether } from '#starter/helpers/server_process'

/** As a newcomer's terminal: the page's commands are run as they stand. */
const TERMINAL = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }

test.group('docs/first-feature.md', (group) => {
  const started = startTogether(group, {
    async followed(cleanup) {
      const folder = await copyProject(cleanup)
      const variables = Object.entries({ ...COPY_VARIABLES, ...copyDatabase(cleanup) })
      const env = variables.map(([name, value]) => `${name}=${value}\n`).join('')
      await writeFile(join(folder, '.env'), env)

      const blocks = pageBlocks('docs/first-feature.md')
      await follow(folder, { ...blocks[0]!, code: 'node ace db:prepare' }, TERMINAL)
      for (const block of blocks) await follow(folder, block, TERMINAL)
      return blocks
    },
  })

  test('leads to a feature whose types and tests pass, block by block', async ({ assert }) => {
    const blocks = await started.followed
    assert.isAbove(blocks.length, 20)
  }).timeout(900_000)
})
