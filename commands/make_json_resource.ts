import { BaseCommand, args, flags } from '@adonisjs/core/ace'

/** Writes a JSON:API resource for a model. */
export default class MakeJsonResource extends BaseCommand {
  static commandName = 'make:json-resource'
  static description = 'Create a new JSON:API resource class in app/resources'

  @args.string({ description: 'Name of the model that the resource wraps' })
  declare model: string

  @flags.boolean({ alias: 'f', description: 'Overwrite the file when it exists' })
  declare force: boolean

  async run() {
    const codemods = await this.createCodemods()
    codemods.overwriteExisting = this.force === true

    const name = this.model.replace(/_?resource$/i, '')
    await codemods.makeUsingStub(this.app.makePath('stubs'), 'make/json_resource/main.stub', {
      entity: this.app.generators.createEntity(name),
    })
  }
}
