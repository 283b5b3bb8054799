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
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const at = (...path) => join(import.meta.dirname, ...path)
const isNoCode = (source) => !source.endsWith('.ts')

rmSync(at('build'), { recursive: true, force: true })
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', at('tsconfig.json')], {
  stdio: 'inherit',
})
if (status !== 0) {
  process.exit(1)
}
keepImports()
for (const folder of ['eslint', 'stubs', 'resources']) {
  cpSync(at(folder), at('build', folder), { recursive: true, filter: isNoCode })
}
for (const file of ['README.md', 'CHANGELOG.md', 'API.md']) {
  cpSync(at(file), at('build', file))
}
cpSync(at('../../LICENSE'), at('build/LICENSE'))
const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'))
delete manifest.scripts
writeFileSync(at('build/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

/**
 * TypeScript leaves out of a declaration file what it imports for nothing but the modules' own
 * additions to other types (`declare module`). An application would not have them.
 */
function keepImports() {
  const cwd = import.meta.dirname
  for (const path of globSync('{configure,{src,providers,commands}/**/*}.ts', { cwd })) {
    const declaration = at('build', path.replace(/\.ts$/, '.d.ts'))
    const declared = readFileSync(declaration, 'utf8')
    const names = readFileSync(at(path), 'utf8').matchAll(
      /^(?:import|export|\} from)\b.*'([^']+)'$/gm
    )
    const left = [...names]
      .map(([, name]) => name)
      .filter((name) => !declared.includes(`'${name}'`))
    writeFileSync(declaration, left.map((name) => `import '${name}';\n`).join('') + declared)
  }
}
