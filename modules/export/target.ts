import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { RuntimeException } from '@adonisjs/core/exceptions'

import { Workspace } from '#removal/workspace'

/** Why nothing can be exported, in a sentence for people. */
export class ExportRefused extends RuntimeException {}

/** Something that a person has to do in the other application. */
export interface Chore {
  path: string
  /** What to do with the lines, e.g. "add to the named middleware". */
  task: string
  lines: string
}

interface PackageFile {
  name?: string
  imports?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/** Folders whose files an application leaves as they are, and whose new versions it takes. */
const UPSTREAM = /^(?:commands|database|modules|providers|stubs)\//

/** What features lean on in an application with `@adonisjs/auth`. */
const NEEDED = ['auth', 'lucid', 'session', 'shield']

/** The application that features go to, with changes that are not on the disk yet. */
export class Target {
  readonly workspace: Workspace
  readonly byHand: Chore[] = []
  /** Files that are there already and have another text. */
  readonly different: string[] = []

  private constructor(readonly root: string) {
    this.workspace = new Workspace(root)
  }

  /**
   * @throws {ExportRefused} when features cannot live in what is there
   */
  static open(folder: string, own: string): Target {
    const root = resolve(folder)
    if (!existsSync(join(root, 'package.json')) || !existsSync(join(root, 'adonisrc.ts'))) {
      throw new ExportRefused(
        `${folder} is not an AdonisJS application: it has no package.json or no adonisrc.ts.`
      )
    }
    if (root === resolve(own)) {
      throw new ExportRefused('Name another application with "--to": this one has the features.')
    }
    const target = new Target(root)
    target.#assertPackages()
    return target
  }

  get package(): PackageFile {
    return JSON.parse(this.workspace.read('package.json')) as PackageFile
  }

  has(packageName: string): boolean {
    const { dependencies, devDependencies } = this.package
    return packageName in { ...dependencies, ...devDependencies }
  }

  /** Whether there are changes that no commit has, or no repository. */
  get hasUncommitted(): boolean {
    const { stdout, status } = spawnSync('git', ['status', '--porcelain'], { cwd: this.root })
    return status !== 0 || stdout.length > 0
  }

  /**
   * Writes a file of the features. One that is there with another text stays. Those of upstream's
   * folders may be overwritten; the others belong to the application from the first export on.
   */
  add(path: string, text: string, overwrite: boolean): void {
    const isThere = this.workspace.paths.has(path) && this.workspace.read(path) !== text
    if (isThere && !(overwrite && UPSTREAM.test(path))) {
      this.different.push(path)
    } else {
      this.workspace.write(path, text)
    }
  }

  /**
   * Changes a file of the application.
   *
   * @param change returns null for a text that it does not understand: the chore is left to a person then
   */
  edit(path: string, change: (text: string) => string | null, chore: Omit<Chore, 'path'>): void {
    const text = this.workspace.paths.has(path) ? change(this.workspace.read(path)) : null
    if (text === null) {
      this.byHand.push({ path, ...chore })
    } else {
      this.workspace.write(path, text)
    }
  }

  #assertPackages() {
    const { dependencies = {} } = this.package
    const version = dependencies['@adonisjs/core'] ?? ''
    if (/\d+/.exec(version)?.[0] !== '7') {
      throw new ExportRefused(
        `The features need AdonisJS 7: package.json has ${version ? `@adonisjs/core ${version}` : 'no @adonisjs/core'}.`
      )
    }
    const missing = NEEDED.filter((name) => !this.has(`@adonisjs/${name}`))
    if (missing.length) {
      const commands = missing.map((name) => `node ace add @adonisjs/${name}`)
      throw new ExportRefused(`The features need these packages there: ${commands.join(', ')}.`)
    }
  }
}
