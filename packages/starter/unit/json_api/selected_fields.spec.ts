import { BaseModel, belongsTo, column, computed } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'

import { JsonResource } from '#kit/json_api/json_resource'
import { selectFields } from '#kit/json_api/selected_fields'
import User from '#models/user'

class Essay extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @column()
  declare title: string

  @column({ serializeAs: 'text' })
  declare body: string

  @column({ serializeAs: null })
  declare secret: string

  @computed()
  get words() {
    return this.body.split(' ').length
  }

  @belongsTo(() => User)
  declare user: BelongsTo<typeof User>
}

class EssayResource extends JsonResource<Essay> {
  static renamed = { title: 'headline' }
}

/** The columns that a fieldset selects. */
function columnsFor(fields: string, resourceClass: any = EssayResource, model: any = Essay) {
  const query = selectFields(model.query(), resourceClass, { fields: { essays: fields } })
  const { sql } = query.toSQL()
  const plain = sql.replaceAll(/["`]/g, '').replaceAll('essays.', '')
  return /^select (.*) from/.exec(plain)![1]
}

test.group('selectFields', () => {
  test('the fieldset {fields} selects {columns}')
    .with([
      { fields: 'headline', columns: 'id, user_id, title' },
      { fields: 'text', columns: 'id, user_id, body' },
      { fields: 'title,body,secret', columns: 'id, user_id' },
      { fields: '', columns: 'id, user_id' },
      { fields: 'headline,words', columns: '*' },
    ])
    .run(({ assert }, { fields, columns }) => {
      assert.equal(columnsFor(fields), columns)
    })

  test('selects whole rows for attributes and meta of its own, and for a model that serializes itself', ({
    assert,
  }) => {
    class OwnResource extends EssayResource {
      static type = 'essays'

      toAttributes() {
        return { ...super.toAttributes(), headline: this.resource.body }
      }
    }
    assert.equal(columnsFor('headline', OwnResource), '*')

    class MetaResource extends EssayResource {
      static type = 'essays'

      toResourceMeta() {
        return { length: this.resource.body.length }
      }
    }
    assert.equal(columnsFor('headline', MetaResource), '*')

    class RelationshipMetaResource extends EssayResource {
      static type = 'essays'

      toRelationshipMeta() {
        return { user: { isKnown: this.resource.body !== '' } }
      }
    }
    assert.equal(columnsFor('headline', RelationshipMetaResource), '*')

    class OwnEssay extends Essay {
      static table = 'essays'

      serialize() {
        return { ...super.serialize(), title: this.body }
      }
    }
    assert.equal(columnsFor('headline', EssayResource, OwnEssay), '*')
  })

  test('selects whole rows where a getter that is shown may read other columns', ({ assert }) => {
    class Accented extends Essay {
      static table = 'essays'

      @column()
      // @ts-expect-error Lucid makes a column of an accessor
      get title() {
        return this.body
      }

      set title(_: string) {}
    }
    assert.equal(columnsFor('headline', EssayResource, Accented), '*')
    assert.equal(columnsFor('text', EssayResource, Accented), 'id, user_id, body')
  })
})
