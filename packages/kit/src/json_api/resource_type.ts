import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { CamelCaseNamingStrategy } from '@adonisjs/lucid/orm'

const inflector = new CamelCaseNamingStrategy()
const types = new WeakMap<object, string>()

/**
 * The type of a resource class: its name without `Resource`, inflected as Lucid
 * inflects the name of a table.
 *
 * @throws {InvalidArgumentsException} for a class whose name says nothing
 */
export function deriveType(this: { name: string }): string {
  let type = types.get(this)
  if (type === undefined) {
    const name = this.name.replace(/Resource$/, '')
    if (name === '' || this.name === 'JsonResource') {
      throw new InvalidArgumentsException(
        `A resource type cannot be derived from the class name "${this.name}": ` +
          'name the class after its model, like PostResource, or give it a static "type".'
      )
    }
    type = inflector.tableName({ name } as never)
    types.set(this, type)
  }
  return type
}
