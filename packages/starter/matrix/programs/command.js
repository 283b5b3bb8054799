import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Something behind it says that it has been printed to its end. */
const PAGE = /https?:\/\/[^/\s]+\/oauth\/authorize\?[\w.~%&=+-]+(?=[^\w.~%&=+-])/g

/** The script of a program that is installed here. */
export const bin = (name) => fileURLToPath(new URL(`./node_modules/.bin/${name}`, import.meta.url))

/**
 * Is the browser of a program: the person allows what each page asks that it prints,
 * and the answer goes back to the program. Returns what is to be told of its output.
 */
export function browser(allow) {
  const seen = new Set()
  let printed = ''
  return (chunk) => {
    printed += chunk
    for (const [page] of printed.matchAll(PAGE)) {
      if (!seen.has(page)) {
        seen.add(page)
        void allow(new URL(page)).then(deliver, (error) => console.error(error))
      }
    }
  }
}

/** Some programs listen a moment after they have printed the page. */
async function deliver(back) {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      return await fetch(back)
    } catch {
      await sleep(100)
    }
  }
  console.error(`Nobody listens at ${back.origin}`)
}

/**
 * Runs a program to its end and resolves to its stdout.
 *
 * @param person.input agrees to what it asks
 * @param person.terminal for a program that signs in only where somebody could type
 * @throws an error with all that it wrote, when it fails
 */
export async function run(args, { allow, env, cwd, input = 'y\n', terminal }) {
  const command = [process.execPath, ...args]
  const [file, ...rest] = terminal ? ['script', '-qec', command.join(' '), '/dev/null'] : command
  const child = spawn(file, rest, { cwd, env: { ...env, NO_COLOR: '1' } })
  if (!terminal) child.stdin.end(input)
  const browse = browser(allow)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].on('data', (chunk) => {
      written[name] += chunk
      browse(chunk)
    })
  }
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`${written.stdout}${written.stderr}`)
  return written.stdout
}
