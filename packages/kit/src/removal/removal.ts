import { resolveSpecifier, withoutExtension } from '#removal/code/aliases'
import { removeFromCode } from '#removal/code/code_removal'
import { readManifests, type Manifest } from '#removal/manifests'
import { type Selection, select } from '#removal/selection'
import { commandsOf, removeFromDocuments } from '#removal/steps/documents'
import { removeSettings, removeVariables } from '#removal/steps/environment'
import { keepExamplesForReading } from '#removal/steps/examples'
import { guardsMadeBy, keepDefaultGuard } from '#removal/steps/guards'
import { removeMarked } from '#removal/steps/marks'
import { mentions } from '#removal/steps/mentions'
import { migrationsOf, writeDroppingMigration } from '#removal/steps/migrations'
import { namedPackages, removePackages } from '#removal/steps/package'
import { removeFromSchema } from '#removal/steps/schema'
import { sentencesToRemove } from '#removal/steps/sentences'
import { wordsToRemove } from '#removal/steps/words'
import { Workspace } from '#removal/workspace'

/** What a removal will do. Nothing is on the disk before `workspace.apply()`. */
export interface Removal extends Selection {
  readonly workspace: Workspace
  /** Packages that nothing needs any more. */
  readonly packages: readonly string[]
  /** The migration that drops tables, when some exist. */
  readonly droppingMigration: string | null
  /** What is left for a person to do. */
  readonly byHand: readonly string[]
}

/**
 * Works out what goes with features.
 *
 * @param root the repository
 * @param ranMigrations names of the migrations that a database has, as in `adonis_schema`
 * @throws {UnknownFeature} for a name that no feature has
 */
export async function planRemoval(
  root: string,
  names: readonly string[],
  ranMigrations: ReadonlySet<string>
): Promise<Removal> {
  const manifests = await readManifests(root)
  const selection = select(manifests.values(), names)
  const { removed, kept } = selection
  const workspace = new Workspace(root)
  const removeWords = wordsToRemove(workspace)
  const removeSentences = sentencesToRemove(workspace)
  const packagesBefore = namedPackages(workspace)

  const hasRun = (path: string) => ranMigrations.has(path.replace(/\.ts$/, ''))
  const ofRan = removed.filter((feature) => migrationsOf([feature]).some(hasRun))
  removeFiles(workspace, manifests, removed, new Set(migrationsOf(ofRan)))
  const droppingMigration = ofRan.length
    ? writeDroppingMigration(workspace, ofRan, new Date())
    : null

  const env = removed.flatMap((feature) => feature.env ?? [])
  const guards = guardsMadeBy(workspace, new Set(removed.flatMap(({ guard }) => guard ?? [])))
  removeMarked(workspace, new Set(removed.map(({ name }) => name)))
  removeFromCode(workspace, {
    asked: askedFor(removed, env),
    configs: new Set(configsIn(workspace.removed)),
    paths: new Set(workspace.removed),
    guards: new Set(guards),
    members: new Set([
      ...workspace.removed.flatMap(controllerMember),
      ...removed.flatMap((feature) => feature.members ?? []),
    ]),
    signs: removed.flatMap(({ signs }) => signs ?? []),
    packages: removed.flatMap((feature) => feature.packages ?? []),
    exports: new Map([
      ['modules/auth/define_config', new Set(removed.flatMap(({ guard }) => guard ?? []))],
    ]),
  })
  const defaultGuard = keepDefaultGuard(workspace, guards)
  removeFromSchema(
    workspace,
    removed.flatMap((feature) => feature.tables ?? []),
    Object.assign({}, ...removed.map((feature) => feature.columns ?? {}))
  )
  removeVariables(workspace, env)
  removeSettings(
    workspace,
    [...configsIn(workspace.removed), ...removed.flatMap(({ settings }) => settings ?? [])],
    env
  )
  removeWords(removed.flatMap(({ words }) => words ?? []))
  removeSentences()
  removeFromDocuments(workspace, {
    variables: env,
    names: removed.map(({ name }) => name),
    sections: removed.flatMap((feature) => feature.sections ?? []),
    signs: [
      ...removed.flatMap((feature) => feature.signs ?? []),
      ...removed.map(({ name }) => `${name}:`),
      ...commandsOf(workspace.removed.map((path) => workspace.original(path))),
    ],
  })
  const examples = keepExamplesForReading(
    workspace,
    goneFiles(workspace),
    removed.flatMap((feature) => feature.signs ?? []),
    guards
  )
  reduceManifests(workspace, kept)
  const packages = removePackages(workspace, packagesBefore)
  return {
    ...selection,
    workspace,
    packages,
    droppingMigration,
    byHand: [
      ...mentions(workspace, removed),
      ...examples.map((path) => `${path} has examples with what was taken out: choose others.`),
      ...(defaultGuard
        ? []
        : ['config/auth.ts has no guard left: add one, and name it in "default".']),
    ],
  }
}

function removeFiles(
  workspace: Workspace,
  manifests: ReadonlyMap<string, Manifest>,
  removed: readonly Manifest[],
  spared: ReadonlySet<string>
): void {
  const own = [...manifests]
    .filter(([, manifest]) => removed.includes(manifest))
    .map(([path]) => path)
  const stillShared = [...manifests.values()].flatMap((manifest) =>
    removed.includes(manifest) ? [] : (manifest.shared ?? [])
  )
  const shared = removed
    .flatMap((manifest) => manifest.shared ?? [])
    .filter((path) => !stillShared.includes(path))
  for (const path of [...own, ...removed.flatMap(({ files }) => files), ...shared]) {
    workspace
      .below(path)
      .filter((file) => !spared.has(file))
      .forEach((file) => workspace.remove(file))
  }
}

/** A manifest that stays names only what is there. */
function reduceManifests(workspace: Workspace, kept: readonly Manifest[]): void {
  for (const path of workspace.paths) {
    const manifest =
      /^(?:modules\/\w+\/manifest|app\/manifests\/\w+)\.json$/.test(path) &&
      kept.find(({ name }) => (JSON.parse(workspace.read(path)) as Manifest).name === name)
    if (!manifest) {
      continue
    }
    const isGone = (file: string) => workspace.below(file).length === 0
    const { shared = [], ...others } = manifest
    if ([...manifest.files, ...shared].some(isGone)) {
      const files = manifest.files.filter((file) => !isGone(file))
      const left = shared.filter((file) => !isGone(file))
      const reduced = { ...others, files, ...(left.length && { shared: left }) }
      workspace.write(path, `${JSON.stringify(reduced, null, 2)}\n`)
    }
  }
}

function askedFor(removed: readonly Manifest[], env: readonly string[]) {
  const bindings = new Set(removed.flatMap((feature) => feature.bindings ?? []))
  return new Map([
    ['feature', new Set(removed.flatMap((feature) => feature.features ?? []))],
    ['hasBinding', bindings],
    ['make', bindings],
    ['env.get', new Set(env)],
  ])
}

/** Whether a specifier stands for a file that is gone. */
function goneFiles(workspace: Workspace) {
  const aliases: Record<string, string> = JSON.parse(workspace.read('package.json')).imports
  const files = new Set(workspace.removed.map(withoutExtension))
  return (specifier: string, from: string) =>
    files.has(resolveSpecifier(specifier, from, aliases) ?? '')
}

/** The names of config files. */
const configsIn = (paths: readonly string[]) =>
  paths.flatMap((path) => /^config\/(\w+)\.ts$/.exec(path)?.[1] ?? [])

/** A controller in the generated object: `controllers.account.TwoFactor`. */
function controllerMember(path: string): string[] {
  const [, folders, name] = /^app\/controllers\/((?:\w+\/)*)(\w+)_controller\.ts$/.exec(path) ?? []
  if (name === undefined) {
    return []
  }
  const pascal = name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return [['controllers', ...folders!.split('/').filter(Boolean), pascal].join('.')]
}
