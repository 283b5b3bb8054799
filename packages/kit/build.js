/*
|--------------------------------------------------------------------------
| npm run build -w packages/kit
|--------------------------------------------------------------------------
|
| Compiles the package into build/, beside copies of what is no code, so that
| package.json is true there as it is beside the sources.
|
*/

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const at = (...path) => join(import.meta.dirname, ...path)
const isNoCode = (source) => !source.endsWith('.ts')

/** What the pages of OAuth say and how they look is the application's in this repository. */
const PAGES = ['views/pages/oauth', 'lang/en/pages.json']

rmSync(at('build'), { recursive: true, force: true })
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', at('tsconfig.json')], { stdio: 'inherit' })
if (status !== 0) {
  process.exit(1)
}
for (const folder of ['stubs', 'resources', 'src']) {
  cpSync(at(folder), at('build', folder), { recursive: true, filter: isNoCode })
}
for (const path of PAGES) {
  if (!existsSync(at('resources', path))) {
    cpSync(at('../../resources', path), at('build/resources', path), { recursive: true })
  }
}
for (const file of ['README.md', 'CHANGELOG.md']) {
  cpSync(at(file), at('build', file))
}
cpSync(at('../../LICENSE'), at('build/LICENSE'))
const { scripts: _, ...manifest } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
writeFileSync(at('build/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
