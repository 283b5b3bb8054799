import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import {
  type Lockfile,
  prepareInstall,
  withoutDevelopment,
} from '../../../bin/production_install.js'
import trimBuild from '../../../bin/trim_build.js'

const PACKAGE_FILES = ['package.json', 'package-lock.json']

const read = (file: string) => readFile(app.makePath(file), 'utf8')

test.group('Deployment', () => {
  test('a build leaves out tests, benchmarks, factories and seeders, and keeps the rest', async ({
    assert,
    cleanup,
  }) => {
    const project = await mkdtemp(join(tmpdir(), 'build-'))
    cleanup(() => rm(project, { recursive: true }))
    const kept = ['app', 'database/migrations']
    const leftOut = [
      'packages/starter/unit',
      'benchmarks',
      'database/factories',
      'database/seeders',
    ]
    for (const folder of [...kept, ...leftOut]) {
      await mkdir(join(project, 'build', folder), { recursive: true })
    }
    await mkdir(join(project, 'tests'))
    await writeFile(join(project, 'build', 'eslint.config.js'), '')
    for (const file of PACKAGE_FILES) {
      await cp(app.makePath(file), join(project, 'build', file))
    }

    await trimBuild({ cwd: pathToFileURL(project) })
    assert.sameMembers(await readdir(join(project, 'build')), [
      'app',
      'database',
      'packages',
      ...PACKAGE_FILES,
    ])
    assert.deepEqual(await readdir(join(project, 'build', 'database')), ['migrations'])
    assert.isTrue(existsSync(join(project, 'tests')))
  })

  test('an installation of a build has neither a compiler nor test tools, and all that its packages need', async ({
    assert,
    cleanup,
  }) => {
    const build = await mkdtemp(join(tmpdir(), 'build-'))
    cleanup(() => rm(build, { recursive: true }))
    for (const file of PACKAGE_FILES) {
      await cp(app.makePath(file), join(build, file))
    }
    await prepareInstall(pathToFileURL(`${build}/`))

    const manifest = JSON.parse(await readFile(join(build, 'package.json'), 'utf8'))
    const lock = JSON.parse(await readFile(join(build, 'package-lock.json'), 'utf8')) as Lockfile
    const names = Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)!)
    assert.notProperty(manifest, 'devDependencies')
    assert.notProperty(lock.packages[''], 'devDependencies')
    assert.includeMembers(names, Object.keys(manifest.dependencies))
    assert.deepEqual(
      names.filter((name) =>
        /^(typescript|ts-morph|playwright.*|@japa\/.*|@adonisjs\/assembler)$/.test(name)
      ),
      []
    )
    for (const entry of Object.values(lock.packages)) {
      assert.includeMembers(names, Object.keys(entry.dependencies ?? {}))
    }
  })

  test('a package is found where Node.js finds it', ({ assert }) => {
    const { packages } = withoutDevelopment({
      packages: {
        '': { dependencies: { a: '1' }, devDependencies: { tool: '1' } },
        'node_modules/a': {
          dependencies: { b: '2' },
          peerDependencies: { c: '1', tool: '1' },
          peerDependenciesMeta: { tool: { optional: true } },
        },
        'node_modules/a/node_modules/b': { dependencies: { d: '1' } },
        'node_modules/b': {},
        'node_modules/c': {},
        'node_modules/d': {},
        'node_modules/tool': {},
      },
    })
    assert.sameMembers(Object.keys(packages), [
      '',
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
      'node_modules/d',
    ])
  })

  test('no .env enters an image', async ({ assert }) => {
    const ignored = (await read('.dockerignore')).split('\n')
    assert.includeMembers(ignored, ['.env', '.env.*', 'tmp', 'build', '**/node_modules'])
  })

  test('the image and the units run a server that ends by itself, as somebody without rights', async ({
    assert,
  }) => {
    const [image, unit, compose] = await Promise.all(
      ['Dockerfile', 'deploy/app@.service', 'compose.yaml'].map(read)
    )
    assert.match(image!, /^USER node$/m)
    assert.match(image!, /^CMD \["node", "bin\/server\.js"\]$/m)
    assert.match(image!, /^HEALTHCHECK [^]*\/health\/live/m)
    assert.match(unit!, /^User=app$/m)
    assert.match(unit!, /^ExecStart=\/usr\/bin\/node bin\/server\.js$/m)
    /* A running request has a minute. */
    assert.isAbove(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit!)![1]), 60)
    assert.isAbove(Number(/stop_grace_period: (\d+)s/.exec(compose!)![1]), 60)
  })

  test('nginx leaves no server out after one refused connection, and its sample suits old versions', async ({
    assert,
  }) => {
    const nginx = await read('deploy/nginx.conf')
    const servers = [...nginx.matchAll(/^ +server \S+:\d+.*$/gm)].map(([line]) => line)
    assert.isAbove(servers.length, 0)
    for (const server of servers) assert.include(server, ' max_fails=0;')
    assert.notMatch(nginx, /^\s*http2 on;/m)
  })

  test('every variable that compose.yaml sets is one of the application', async ({ assert }) => {
    const [compose, variables] = await Promise.all([read('compose.yaml'), read('start/env.ts')])
    const environment = /environment: &environment\n((?: {4}.*\n)+)/.exec(compose)![1]!
    const names = [...environment.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name!)
    assert.isAbove(names.length, 5)
    for (const name of names) {
      assert.include(variables, `  ${name}:`)
    }
  })
})
