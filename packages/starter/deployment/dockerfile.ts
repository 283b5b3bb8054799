import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { execute } from '#starter/helpers/execute'
import { linkModules } from '#starter/helpers/link_modules'

/** A folder stands for the file system of each stage. */
interface Stage {
  name: string | null
  root: string
  workdir: string
  env: Record<string, string>
  command: string[]
  healthCheck: string[]
}

/** What a container of the image would run, and where. */
export interface Image {
  folder: string
  env: Record<string, string>
  command: string[]
  healthCheck: string[]
}

const INSTALLED = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Take effect in a container alone. */
const DECLARATIONS = ['USER', 'VOLUME', 'EXPOSE']

/** The installation that this process runs in was made by this step, of the same lockfile. */
const INSTALLATION = /^npm ci\b(?!.*--omit)/

/** A user of the base image owns nothing here. */
const PRELUDE = 'chown() { :; }'

/**
 * Runs the steps of a Dockerfile by hand, in folders, under this process's
 * Node.js. Paths from the root are taken below the folder of their stage.
 *
 * @throws {Error} for an instruction that it does not know, and for a step that fails
 */
export async function buildByHand(context: string, folder: string): Promise<Image> {
  const stages: Stage[] = []
  for (const { instruction, words } of await readInstructions(context)) {
    if (instruction === 'FROM') {
      stages.push(await beginStage(words, join(folder, `stage-${stages.length}`)))
      continue
    }
    await follow(instruction, words, { stage: stages.at(-1)!, stages, context })
  }
  const { root, workdir, env, command, healthCheck } = stages.at(-1)!
  return { folder: join(root, workdir), env, command, healthCheck }
}

async function readInstructions(context: string) {
  const text = await readFile(join(context, 'Dockerfile'), 'utf8')
  return text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const [instruction] = line.split(' ', 1)
      return { instruction: instruction!, words: line.slice(instruction!.length).trim() }
    })
}

async function beginStage(words: string, root: string): Promise<Stage> {
  const [, name] = /\bAS (\S+)$/i.exec(words) ?? []
  await mkdir(root, { recursive: true })
  return { name: name ?? null, root, workdir: '/', env: {}, command: [], healthCheck: [] }
}

async function follow(
  instruction: string,
  words: string,
  { stage, stages, context }: { stage: Stage; stages: Stage[]; context: string }
): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = words
      await mkdir(join(stage.root, words), { recursive: true })
      return
    case 'ENV':
      Object.assign(stage.env, Object.fromEntries(words.split(' ').map((pair) => pair.split('='))))
      return
    case 'COPY':
      return copy(words, stage, stages, context)
    case 'RUN':
      return run(words, stage)
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(words.slice(words.indexOf('[')))
      return
    case 'CMD':
      stage.command = JSON.parse(words)
      return
    default:
      if (!DECLARATIONS.includes(instruction)) {
        throw new Error(`Dockerfile: "${instruction}" is not known here`)
      }
  }
}

async function copy(words: string, stage: Stage, stages: Stage[], context: string) {
  const [, from] = /^--from=(\S+)/.exec(words) ?? []
  const source = from ? stages.find(({ name }) => name === from)?.root : context
  const paths = words.split(' ').filter((word) => !word.startsWith('--'))
  const target = join(stage.root, stage.workdir, paths.pop()!)
  if (!source || !paths.length) {
    throw new Error(`Dockerfile: "COPY ${words}" copies nothing`)
  }
  for (const path of paths) {
    const isFolder = (await stat(join(source, path))).isDirectory()
    const to = isFolder ? target : join(target, basename(path))
    await mkdir(dirname(to), { recursive: true })
    await cp(join(source, path), to, { recursive: true, verbatimSymlinks: true })
  }
}

async function run(words: string, { root, workdir, env }: Stage): Promise<void> {
  if (INSTALLATION.test(words)) {
    return linkModules(INSTALLED, join(root, workdir))
  }
  const command = words.replace(/(^| )\/(?=\w)/g, `$1${root}/`)
  await execute('bash', ['-euc', `${PRELUDE}\n${command}`], {
    cwd: join(root, workdir),
    env,
  })
}
