import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** Where a Python with packages may be: the first one on the PATH can be another one than the system's. */
const PYTHONS = ['python3', '/usr/bin/python3']

/** A Python that has these modules; null without one. */
export async function findPython(modules: string[]): Promise<string | null> {
  for (const python of PYTHONS) {
    try {
      await exec(python, ['-c', `import ${modules.join(', ')}`])
      return python
    } catch {
      /* Not this one. */
    }
  }
  return null
}

/** Runs a program and returns what it prints, or how it fails. */
export async function runPython(python: string, program: string, args: string[]) {
  try {
    const { stdout } = await exec(python, ['-c', program, ...args])
    return { code: 0, output: stdout }
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { code, output: stderr }
  }
}
