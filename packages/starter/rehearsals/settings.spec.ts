import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { startServer, stopServer } from '#starter/helpers/server_process'
import {
  SERVER_WITH_SETTINGS,
  configFiles,
  findSettings,
  findVariables,
  writeConfig,
} from '#starter/helpers/settings'
import { LEFT_OUT, VALUES, VARIABLES } from '#starter/helpers/settings_matrix'
import { Visitor } from '#starter/helpers/visitor'

/** Servers that start at once. */
const AT_ONCE = 2

interface Value {
  setting: string
  value: string | Record<string, string>
}

/** The n-th value of every setting that has so many: each server tries many settings at once. */
function combinations(): Value[][] {
  const settings = Object.entries({ ...VARIABLES, ...VALUES })
  const most = Math.max(...settings.map(([, values]) => values.length))
  return Array.from({ length: most }, (_, index) =>
    settings.flatMap(([setting, values]) =>
      index < values.length && !isHidden(setting, index, settings)
        ? [{ setting, value: values[index]! }]
        : []
    )
  )
}

/** A value inside of a group that the same combination replaces. */
function isHidden(setting: string, index: number, settings: [string, unknown[]][]) {
  return settings.some(
    ([other, values]) => index < values.length && setting.startsWith(`${other}.`)
  )
}

/** Compiles the config files with other values, and returns the folder and the environment. */
async function prepare(parent: string, values: Value[]) {
  const folder = await mkdtemp(join(parent, 'config-'))
  const environment: Record<string, string> = { SETTINGS: folder }
  const configured = new Map<string, string>()
  for (const { setting, value } of values) {
    const all = typeof value === 'string' ? { [setting]: value } : value
    for (const [name, text] of Object.entries(all)) {
      if (name in VALUES) {
        configured.set(name, text)
      } else {
        environment[name] = text
      }
    }
  }
  await writeConfig(folder, configFiles(app.makePath('config')), configured)
  return environment
}

/** Why nobody can sign in with these settings; null when somebody can. */
async function failureOf(parent: string, values: Value[]): Promise<string | null> {
  let output = ''
  let stop = async () => {}
  const keep = (text: string) => void (output += text)
  try {
    const url = await startServer(await prepare(parent, values), {
      script: SERVER_WITH_SETTINGS,
      onOutput: keep,
      onError: keep,
      cleanup: (callback) => (stop = async () => void (await callback())),
    })
    await signIn(url)
    return (await stopServer(url)) === 0 ? null : 'The server did not end well'
  } catch (error) {
    return `${(error as Error).message}\n${output.slice(-2000)}`
  } finally {
    await stop()
  }
}

async function signIn(url: string) {
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const password = `Pw-${randomBytes(16).toString('hex')}`
  const headers = { accept: 'application/json' }
  const registration = { email, password, password_confirmation: password }
  const visitor = new Visitor()
  const answers = [
    await new Visitor().post(`${url}/register`, { json: registration, headers }),
    await visitor.post(`${url}/login`, { json: { email, password }, headers }),
    await visitor.get(`${url}/api/me`, { headers }),
  ]
  const refused = answers.find(({ status }) => status >= 300)
  if (refused) {
    throw new Error(`${refused.url} was answered ${refused.status} ${await refused.text()}`)
  }
}

/** Halves the settings until what is left fails with all of them only, as a rule one. */
async function explain(parent: string, values: Value[], failure: string): Promise<string> {
  const half = Math.ceil(values.length / 2)
  for (const part of values.length > 1 ? [values.slice(0, half), values.slice(half)] : []) {
    const failureOfPart = await failureOf(parent, part)
    if (failureOfPart) {
      return explain(parent, part, failureOfPart)
    }
  }
  return `${JSON.stringify(values)}: ${failure}`
}

test.group('Settings', () => {
  test('every setting is in the matrix, or left out for a reason', async ({ assert }) => {
    const files = configFiles(app.makePath('config'))
    const variables = findVariables(await readFile(app.makePath('start/env.ts'), 'utf8'))
    const settings = [...files].flatMap(([file, source]) =>
      findSettings(file, source)
        .filter(({ start, end }) => !source.slice(start, end).includes('env.get('))
        .filter(({ isGroup }) => !isGroup)
        .map(({ path }) => path)
    )
    const known = (path: string) =>
      path in VARIABLES ||
      Object.keys(VALUES).some((name) => path === name || path.startsWith(`${name}.`)) ||
      Object.keys(LEFT_OUT).some((beginning) => path.startsWith(beginning))
    assert.deepEqual(
      [...variables, ...settings].filter((path) => !known(path)),
      [],
      'Add these to packages/starter/helpers/settings_matrix.ts'
    )

    const stated = new Set(
      [...files].flatMap(([file, source]) => findSettings(file, source).map(({ path }) => path))
    )
    assert.deepEqual(
      [
        ...Object.keys(VALUES).filter((path) => !stated.has(path)),
        ...Object.keys(VARIABLES).filter((name) => !variables.includes(name)),
      ],
      [],
      'Take these out of packages/starter/helpers/settings_matrix.ts'
    )
  })

  test('with every value of every setting the application boots, and people sign in', async ({
    assert,
    cleanup,
  }) => {
    const parent = join(tmpdir(), `settings-${process.pid}`)
    await mkdir(parent, { recursive: true })
    cleanup(() => rm(parent, { recursive: true, force: true }))

    const rest = combinations().values()
    const failures: string[] = []
    const tryRest = async () => {
      for (const values of rest) {
        const failure = await failureOf(parent, values)
        if (failure) {
          failures.push(await explain(parent, values, failure))
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, tryRest))
    assert.deepEqual(failures, [])
  })
})
