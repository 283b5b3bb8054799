import assert from 'node:assert/strict'

import { execute } from '#starter/helpers/execute'

import type { Image } from './dockerfile.js'

async function doctor({ folder, env }: Image, settings: Record<string, string>) {
  return execute('node', ['ace.js', 'doctor', '--production'], {
    cwd: folder,
    env: { ...env, NO_COLOR: '1', ...settings },
    codes: [0, 1],
  })
}

/** Settings of development, before anything was migrated. */
export async function doctorComplains(image: Image, settings: Record<string, string>) {
  const { code, output } = await doctor(image, settings)
  assert.equal(code, 1, output)
  for (const line of [
    /^ERROR +cookies: /m,
    /^ERROR +migrations: /m,
    /^WARNING setting: APP_URL /m,
  ]) {
    assert.match(output, line)
  }
}

/** What the documents ask for is there, and the proxy is trusted. */
export async function doctorIsContent(image: Image, settings: Record<string, string>) {
  const { code, output } = await doctor(image, settings)
  assert.equal(code, 0, output)
  assert.match(output, /\b0 errors, 0 warnings/, output)
  assert.match(output, /proxy: \S+ is trusted/, output)
}
