import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { Metrics, watchHashes, watchPools } from '#kit/metrics/metrics'

const NAME = /\b(?:http|auth|oauth2|mcp|db|purge|nodejs|process)_[a-z0-9_]+/g

/** The names that a scrape has, those of the parts of histograms among them. */
async function exported(): Promise<Set<string>> {
  const metrics = new Metrics()
  watchHashes(metrics)
  watchPools(metrics, db as any)
  const known = await metrics.registry.getMetricsAsJSON()
  return new Set(
    known.flatMap(({ name, type }) =>
      String(type) === 'histogram'
        ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`)
        : name
    )
  )
}

test.group('Figures', () => {
  for (const file of ['deploy/grafana.json', 'deploy/alerts.yml']) {
    test(`${file} asks for figures that exist`, async ({ assert }) => {
      const text = await readFile(app.makePath(file), 'utf8')
      const expressions = text.split('\n').filter((line) => /^\s*"?expr"?:/.test(line))
      const names = expressions.flatMap((line) => line.match(NAME) ?? [])
      const known = await exported()
      assert.isAbove(expressions.length, 9)
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        []
      )
    })
  }
})
