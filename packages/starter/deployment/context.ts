import { cp, readFile } from 'node:fs/promises'
import { join, matchesGlob, relative } from 'node:path'

/** Copies what a Docker daemon would be sent: the project without what .dockerignore names. */
export async function copyContext(project: string, to: string): Promise<void> {
  const isIgnored = await readIgnored(project)
  await cp(project, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !isIgnored(relative(project, source)),
  })
}

/** The last line that matches decides; one with "!" takes files in again. */
async function readIgnored(project: string): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(project, '.dockerignore'), 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))
    .reverse()
  return (path) => {
    const line = lines.find((pattern) => matchesGlob(path, pattern.replace(/^!/, '')))
    return line !== undefined && !line.startsWith('!')
  }
}
