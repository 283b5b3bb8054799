import { RuntimeException } from '@adonisjs/core/exceptions'

import type { Manifest } from '#removal/manifests'

/** What is taken out, and what stays. */
export interface Selection {
  /** In the order in which they can go: each before what it needs. */
  readonly removed: readonly Manifest[]
  readonly kept: readonly Manifest[]
  /** Those that nobody named: they need one that is removed. */
  readonly dependent: readonly Manifest[]
}

/** A name that cannot be removed. */
export class UnknownFeature extends RuntimeException {
  /** @param features names of those that can be */
  constructor(name: string, exists: boolean, features: readonly string[]) {
    super(
      exists
        ? `"${name}" cannot be taken out by this command: other parts of the application are built on it. What can be taken out: ${features.join(', ')}`
        : `There is no feature "${name}". What can be taken out: ${features.join(', ')}`
    )
  }
}

/**
 * The features with these names, and those that cannot do without them.
 *
 * @throws {UnknownFeature} for a name that no feature has, or one that cannot be taken out
 */
export function select(manifests: Iterable<Manifest>, names: readonly string[]): Selection {
  const all = [...manifests]
  const features = all.filter(({ core }) => !core)
  for (const name of names) {
    if (!features.some((feature) => feature.name === name)) {
      const exists = all.some((feature) => feature.name === name)
      throw new UnknownFeature(
        name,
        exists,
        features.map((feature) => feature.name)
      )
    }
  }

  const chosen = new Set(names)
  const needsChosen = ({ name, needs = [] }: Manifest) =>
    !chosen.has(name) && needs.some((needed) => chosen.has(needed))
  for (let next = features.find(needsChosen); next; next = features.find(needsChosen)) {
    chosen.add(next.name)
  }
  const removed = features.filter(({ name }) => chosen.has(name))
  return {
    removed: inOrder(removed),
    kept: all.filter(({ name }) => !chosen.has(name)),
    dependent: removed.filter(({ name }) => !names.includes(name)),
  }
}

function inOrder(features: readonly Manifest[]): Manifest[] {
  const waiting = [...features]
  const ordered: Manifest[] = []
  while (waiting.length) {
    const isNeeded = ({ name }: Manifest) => waiting.some(({ needs = [] }) => needs.includes(name))
    const index = waiting.findIndex((feature) => !isNeeded(feature))
    ordered.push(...waiting.splice(Math.max(index, 0), 1))
  }
  return ordered
}
