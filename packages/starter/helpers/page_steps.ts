import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { CodeBlock } from '#starter/helpers/document_blocks'
import { runIn } from '#starter/helpers/project_copy'

/** The first line of a block that is a whole file: its path, in which `*` stands for what differs. */
const FILE = /^(?:\/\/|\{\{--) ([\w./*-]+\.\w+)(?: --\}\})?\n/

/** Whether a block is a file of the reader's, which compiles in their project alone. */
export const isFile = ({ code }: CodeBlock) => FILE.test(code)

async function writeFileBlock(folder: string, code: string) {
  const [line, pattern] = FILE.exec(code)!
  const found: string[] = []
  for await (const path of glob(pattern!, { cwd: folder })) found.push(path)
  const [path = pattern!, ...others] = found
  if (path.includes('*') || others.length > 0) {
    throw new Error(`${pattern} names ${found.length} files`)
  }
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), code.slice(line.length))
}

/** A block of changes: its first line is `--- path`, the others begin with a space, or with `+` when they are new. */
async function change(folder: string, code: string) {
  const [head, ...lines] = code.trimEnd().split('\n')
  const path = join(folder, head!.replace('--- ', ''))
  const content = (await readFile(path, 'utf8')).split('\n')
  let at = 0
  for (const line of lines) {
    if (line.startsWith('+')) {
      content.splice(at++, 0, line.slice(1))
    } else {
      at = content.indexOf(line.slice(1), at) + 1
      if (at === 0) throw new Error(`${head}: no line "${line.slice(1)}"`)
    }
  }
  await writeFile(path, content.join('\n'))
}

/** Does in a copy of the project what one block of a page says. */
export async function follow(folder: string, block: CodeBlock, env: Record<string, string>) {
  const { language, code } = block
  if (language === 'diff') return change(folder, code)
  if (language !== 'sh') return writeFileBlock(folder, code)
  const {
    code: exit,
    stdout,
    stderr,
  } = await runIn(folder, ['bash', '-euo', 'pipefail', '-c', code], env)
  if (exit !== 0) {
    throw new Error(`${block.document}:${block.line} ends with ${exit}:\n${stdout}${stderr}`)
  }
}
