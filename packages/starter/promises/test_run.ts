import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = new URL('../../../', import.meta.url)

const IMPORTED = new URL('mutants.js', import.meta.url).href

/** Where an expression is: a module, from the root of the repository, and the characters in it. */
export interface Place {
  file: string
  start: number
  end: number
}

/** Another version of an expression. */
export interface Mutant extends Place {
  /** What turns it on. Several may have one name. */
  name: number
  broken: string
  /** The only test in which it is on. */
  title?: string
}

/** Milliseconds without a word after which a broken process is ended. */
const SILENCE = 120_000

interface TestEnd {
  relativePath: string
  title: { original: string; expanded: string }
  errors: unknown[]
}

/** Runs tests in a process that knows mutants. */
export class TestRun {
  readonly #env: Record<string, string>
  readonly #on: string

  constructor(name: string, mutants: readonly Mutant[]) {
    mkdirSync(new URL('tmp', ROOT), { recursive: true })
    const file = fileURLToPath(new URL(`tmp/${name}.json`, ROOT))
    writeFileSync(file, JSON.stringify(mutants))
    /* A file: a variable holds 128 KB at most. */
    this.#on = fileURLToPath(new URL(`tmp/${name}_on.json`, ROOT))
    this.#env = {
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${IMPORTED}`,
      SQLITE_FILE: `tmp/${name}.sqlite3`,
      MUTANTS: file,
      ON: this.#on,
    }
  }

  /**
   * Runs tests, and returns the titles of those that ran and of those that failed.
   *
   * @param on the names of the mutants that are on, alone or with the file and title of the only test in which they are
   * @param bail whether the first failure ends it
   */
  async of(
    specs: Iterable<string>,
    {
      titles = [],
      on = [],
      bail = false,
      env = {},
    }: {
      titles?: string[] | undefined
      on?: readonly (number | [number, string])[]
      bail?: boolean
      env?: Record<string, string>
    } = {}
  ) {
    const files = [...new Set(specs)]
    writeFileSync(this.#on, JSON.stringify(on))
    const child = spawn(
      process.execPath,
      [
        'bin/run.js',
        'test',
        ...new Set(files.map((spec) => spec.split('/')[2]!)),
        '--reporters=ndjson',
        ...(bail ? ['--bail'] : []),
        ...files.map((spec) => `--files=${spec.replace('.spec.ts', '')}`),
        ...titles.map((title) => `--tests=${title}`),
      ],
      {
        cwd: fileURLToPath(ROOT),
        env: { ...process.env, ...this.#env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      }
    )
    let output = ''
    const silence = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), SILENCE)
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      output += chunk
      silence.refresh()
      /* What is broken may keep the process from ending. */
      if (on.length && output.includes('\n{"aggregates":')) child.kill('SIGTERM')
    }
    clearTimeout(silence)
    const ran = new Set<string>()
    const failed = new Set<string>()
    const ranIn = new Set<string>()
    const failedIn = new Set<string>()
    for (const line of output.split('\n').filter((one) => one.startsWith('{"event":"test:end"'))) {
      const { relativePath, title, errors } = JSON.parse(line) as TestEnd
      const key = `${relativePath}\n${title.original}`
      ran.add(title.original)
      ranIn.add(key)
      if (!errors.length) continue
      failed.add(title.original)
      failedIn.add(key)
    }
    return { ran, failed, ranIn, failedIn, output }
  }
}
