import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { url } from '#starter/helpers/mcp_wire'

const PACKAGE = app.makePath('node_modules/@modelcontextprotocol/conformance')
const TOOL = app.makePath('node_modules/.bin/conformance')

/** Runs the conformance tool as another process against the server of this suite. */
function conformance(revision: string, baseline: string) {
  return runTool('--requirements', revision, '--expected-failures', baseline)
}

function runTool(...options: string[]) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [TOOL, 'server', '--url', url('/mcp/conformance'), ...options],
      { maxBuffer: 50 * 1024 * 1024 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr })
    )
  })
}

/** The scenarios a revision requires of a server, as the tool lists them. */
async function required(revision: string) {
  const text = await readFile(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8')
  const [, list] = /^server:\n((?: {2}- .+\n)+)/m.exec(text)!
  return listed(list!)
}

/** Names of a YAML list. */
function listed(yaml: string) {
  return [...yaml.matchAll(/^ {2}- (.+)$/gm)].map(([, name]) => name)
}

/** The scenarios that passed, and those that did not. */
function outcome(output: string) {
  const text = stripVTControlCharacters(output)
  const lines = [...text.matchAll(/^([✓✗]) (\S+): \d+ passed/gm)]
  const marked = (wanted: string) =>
    lines.filter(([, mark]) => mark === wanted).map(([, , name]) => name)
  return { passed: marked('✓'), failed: marked('✗') }
}

test.group('MCP conformance', () => {
  test('2026-07-28: all 37 scenarios pass, with nothing in the baseline', async ({ assert }) => {
    const baseline = 'packages/starter/helpers/fixtures/mcp/2026-07-28.baseline.yml'
    const scenarios = await required('2026-07-28')
    assert.lengthOf(scenarios, 37)
    assert.isEmpty(listed(await readFile(baseline, 'utf8')))

    const { code, output } = await conformance('2026-07-28', baseline)
    assert.equal(code, 0, output)
    assert.includeMembers(outcome(output).passed, scenarios)
  }).timeout(180_000)

  test('Tasks extension: {$self}')
    .with([
      'tasks-lifecycle',
      'tasks-capability-negotiation',
      'tasks-wire-fields',
      'tasks-request-state-removal',
      'tasks-mrtr-input',
      'tasks-request-headers',
      'tasks-dispatch-and-envelope',
      'tasks-required-task-error',
      'tasks-mrtr-composition',
    ])
    .run(async ({ assert }, scenario) => {
      const { code, output } = await runTool('--scenario', scenario)
      assert.equal(code, 0, output)
      assert.match(output, /\b0 failed/)
    })

  test('2025-11-25: all pass but the four that take a session', async ({ assert }) => {
    const baseline = 'packages/starter/helpers/fixtures/mcp/2025-11-25.baseline.yml'
    const scenarios = await required('2025-11-25')
    const expected = listed(await readFile(baseline, 'utf8'))
    assert.lengthOf(expected, 4)

    const { code, output } = await conformance('2025-11-25', baseline)
    assert.equal(code, 0, output)
    const { passed, failed } = outcome(output)
    assert.sameMembers(failed, expected)
    assert.includeMembers([...passed, ...expected], scenarios)
  }).timeout(180_000)
})
