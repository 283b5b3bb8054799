import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a module, or a feature of the application, declares as its own. Paths start at the root of the repository. */
export interface Manifest {
  /** The feature's name on the command line. */
  readonly name: string
  /** The feature in a few words, for people. */
  readonly title: string
  /** True for a module that the application cannot do without. */
  readonly core?: boolean
  /** Features that this one cannot do without. They stay when it is removed; it is removed with each of them. */
  readonly needs?: readonly string[]
  /** Files and folders. One that several manifests name goes with the first of the features that is removed. */
  readonly files: readonly string[]
  /** Files and folders that serve several features: they go with the last of those that name them here. */
  readonly shared?: readonly string[]
  /** Names under which it registers itself with the manager (`AuthFeatures`). */
  readonly features?: readonly string[]
  /** Names under which its provider binds something in the container (`ContainerBindings`). */
  readonly bindings?: readonly string[]
  /** Members that it adds to objects of others, as code writes them: `ctx.session`. */
  readonly members?: readonly string[]
  /** The function of `#auth/define_config` that makes its guard in `config/auth.ts`. */
  readonly guard?: string
  /** Tables that its migrations create, each after those that refer to it. */
  readonly tables?: readonly string[]
  /** Columns that its migrations add to tables of others. */
  readonly columns?: Readonly<Record<string, readonly string[]>>
  /** Variables of the environment that nothing else reads. */
  readonly env?: readonly string[]
  /** Settings of config files that stay, e.g. `auth.default.passwords` of `config/auth.ts`. */
  readonly settings?: readonly string[]
  /** Keys of words that are looked up by a part of them, e.g. those of error codes: the others are found. */
  readonly words?: readonly string[]
  /** Packages that the application has for this feature alone. */
  readonly packages?: readonly string[]
  /** Sections of documents, by their file and heading: `docs/accounts.md#Passkeys`. */
  readonly sections?: readonly string[]
  /** Texts in a test, or in the first cell of a table of the documents, which show that it is about this feature, e.g. `withOAuthToken` or `/account/passkeys`. */
  readonly signs?: readonly string[]
}

/** Where manifests are: upstream's modules have theirs with them, features of `app/` beside each other. */
export const MANIFESTS = ['modules/*/manifest.json', 'app/manifests/*.json']

/** Every manifest below a root, by its path. */
export async function readManifests(root: string): Promise<Map<string, Manifest>> {
  const paths = globSync(MANIFESTS, { cwd: root }).sort()
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
  return new Map(paths.map((path, index) => [path, JSON.parse(texts[index]!) as Manifest]))
}
