import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { args, flags } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'

import { assertClassName, assertCommand, KitCommand } from '#process/kit_command'
import { stubsRoot } from '#stubs/main'

export default class MakeJsonResource extends KitCommand {
  static commandName = 'make:json-resource'
  static description = 'Create a new JSON:API resource class in app/resources'
  static help = [
    'With the relationships of the model, each with the model that it leads to:',
    '```',
    '{{ binaryName }} make:json-resource Post --to-one=author:User --to-many=comments:Comment',
    '```',
  ]

  @args.string({ description: 'Name of the model that the resource wraps' })
  declare model: string

  @flags.array({ description: 'A relationship to one resource: its name, a colon, a model' })
  declare toOne?: string[]

  @flags.array({ description: 'A relationship to a list of resources, likewise' })
  declare toMany?: string[]

  @flags.boolean({ alias: 'f', description: 'Overwrite the file when it exists' })
  declare force: boolean

  async run() {
    const codemods = await this.createCodemods()
    codemods.overwriteExisting = this.force === true

    const { generators } = this.app
    const entity = generators.createEntity(this.model.replace(/_?resource$/i, ''))
    assertClassName(generators.modelName(entity.name), this.model)
    const path = this.app.modelsPath(entity.path, generators.modelFileName(entity.name))
    const model = existsSync(path) ? await readFile(path, 'utf8') : ''
    const relationships = [
      ...this.#relationships('toOne', this.toOne ?? [], model),
      ...this.#relationships('toMany', this.toMany ?? [], model),
    ]
    const own = `${generators.modelName(entity.name)}Resource`
    assertCommand(own !== 'JsonResource', 'The class would have the name of JsonResource, its base')
    const files = new Map(relationships.map(({ resource, file }) => [resource, file]))
    files.delete(own)

    const keys = relationships.flatMap(({ foreignKey }) => foreignKey ?? [])
    const workspace = /\bBelongsToWorkspace\b/.test(model) ? ['workspaceId'] : []
    const hidden = [...new Set(['id', ...keys, ...workspace])].map((name) => `'${name}'`).join(', ')
    const helpers = ['JsonResource', ...new Set(relationships.map(({ helper }) => helper).sort())]

    await codemods.makeUsingStub(stubsRoot, 'make/json_resource/main.stub', {
      entity,
      hidden,
      declarations: relationships.map(({ code }) => code),
      helpers: helpers.join(', '),
      hasRelationships: relationships.length > 0,
      imports: [...files].map(([resource, file]) => `\nimport ${resource} from '${file}'`).join(''),
    })
  }

  /** `author:User`, or `author` alone where the model has the name of the relationship. */
  #relationships(helper: 'toOne' | 'toMany', specs: string[], source: string) {
    const { generators } = this.app
    return specs.map((spec) => {
      assertCommand(
        /^[a-z]\w*(:[^:]+)?$/i.test(spec),
        `"${spec}" is no relationship: give a name, a colon and a model, e.g. author:User`
      )
      const [name = '', model = name] = spec.split(':')
      const entity = generators.createEntity(model)
      assertClassName(generators.modelName(entity.name), model)
      const resource = `${generators.modelName(entity.name)}Resource`
      const base = generators.modelFileName(entity.name).replace(/\.ts$/, '_resource')
      const file = generators.importPath('#resources', entity.path, base)
      /* Named by the model itself, or else after the model that it leads to. */
      const named = new RegExp(
        `@belongsTo\\([^@]*\\bforeignKey: '(\\w+)'[^@]*\\bdeclare ${name}\\b`
      )
      const byConvention = string.camelCase(`${generators.modelName(entity.name)}Id`)
      const foreignKey = helper === 'toOne' ? (named.exec(source)?.[1] ?? byConvention) : null
      return { helper, resource, file, foreignKey, code: `${name}: ${helper}(() => ${resource}),` }
    })
  }
}
