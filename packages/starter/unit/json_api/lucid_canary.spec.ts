import { BaseModel, column, computed, hasMany } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type { HasMany } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'

import { relatedQuery, relationOf } from '#kit/json_api/lucid_relations'

/*
| What packages/kit/src/json_api/lucid_readers.ts takes for granted about the inside of
| Lucid. A test that fails here after an update says which assumption to look at.
*/

class Leaf extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare branchId: number
}

class Branch extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column({ serializeAs: 'called', serialize: (value) => `<${value}>` })
  declare name: string

  @column()
  get size() {
    return 7
  }

  set size(_value: number) {}

  @computed()
  get loud() {
    return 'LOUD'
  }

  @hasMany(() => Leaf)
  declare leaves: HasMany<typeof Leaf>
}

test.group('Inside of Lucid', () => {
  test('RowReader: values stand in $attributes, relations in $preloaded, under their property names', ({
    assert,
  }) => {
    const branch = new Branch().fill({ id: 1, name: 'x' })
    assert.deepEqual(branch.$attributes, { id: 1, name: 'x' })
    assert.deepEqual(branch.$preloaded, {})
    branch.$setRelated('leaves', [])
    assert.deepEqual(branch.$preloaded as object, { leaves: [] })
    assert.equal(branch.$primaryKeyValue, 1)
  })

  test('RowReader: definitions of columns and computed properties', ({ assert }) => {
    Branch.boot()
    const name = Branch.$columnsDefinitions.get('name')!
    assert.equal(name.serializeAs, 'called')
    assert.equal(name.serialize!('x', 'name', new Branch()), '<x>')
    assert.isFalse(name.hasGetter)
    assert.isTrue(Branch.$columnsDefinitions.get('size')!.hasGetter)
    assert.equal(Branch.$computedDefinitions.get('loud')!.serializeAs, 'loud')
    assert.equal(Branch.$relationsDefinitions.get('leaves' as never)!.serializeAs, 'leaves')
  })

  test('RowReader: serialize joins attributes, relations, computed properties and extras, by these methods', ({
    assert,
  }) => {
    const called: string[] = []
    class Watched extends Branch {
      serializeAttributes(...args: any[]) {
        called.push('serializeAttributes')
        return super.serializeAttributes(...args)
      }

      serializeRelations() {
        called.push('serializeRelations')
        return {}
      }

      serializeComputed(...args: any[]) {
        called.push('serializeComputed')
        return super.serializeComputed(...args)
      }

      shouldSerializeField(...args: [any, any]) {
        called.push('shouldSerializeField')
        return (BaseModel.prototype as any).shouldSerializeField.apply(this, args)
      }

      serializeExtras() {
        called.push('serializeExtras')
        return {}
      }
    }
    new Watched().fill({ id: 1 }).serialize()
    assert.sameMembers(
      [...new Set(called)],
      [
        'serializeAttributes',
        'serializeRelations',
        'serializeComputed',
        'shouldSerializeField',
        'serializeExtras',
      ]
    )
    for (const method of ['serialize', 'serializeAttributes', 'serializeComputed']) {
      assert.isFunction((BaseModel.prototype as any)[method])
    }
  })

  test('serializeRow: serializeRelations of one row can be replaced for a moment', ({ assert }) => {
    const branch = new Branch().fill({ id: 1 })
    branch.$setRelated('leaves', [new Leaf().fill({ id: 2 })])
    const shadow = branch as { serializeRelations?: () => object }
    shadow.serializeRelations = () => ({})
    assert.notProperty(branch.serialize(), 'leaves')
    delete shadow.serializeRelations
    assert.property(branch.serialize(), 'leaves')
  })

  test('relation_loader: keys of a relation, and a query that selects them', ({ assert }) => {
    const relation = relationOf(Branch, 'leaves')!
    assert.equal(relation.localKey, 'id')
    assert.equal(relation.foreignKey, 'branchId')
    const { sql } = (relatedQuery(relation, [{ id: 1 }], db.connection()) as any).toSQL()
    assert.match(sql, /branch_id. in \(/)
    assert.isNull(relationOf(Branch, 'nothing'))
  })
})
