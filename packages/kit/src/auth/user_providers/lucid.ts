import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { assertArgument } from '#config/checks'
import type { MaybePromise } from '#process/maybe_promise'
import type { ModelImport } from '#config/store_config'
import { hydrator } from '#database/hydration'
import { affectedRows } from '#database/raw_query'
import type { RowJoin } from '#database/raw_rows'
import { isStorable } from '#database/storable_text'
import {
  type LucidUserProviderSpec,
  type UserProvider,
  type PasswordHash,
  AttributeUserProvider,
} from '#auth/user_providers/user_provider'
import type { Credentials, UserId } from '#auth/users'

const PREFIX = 'user__'

/** The largest keys that PostgreSQL's columns of whole numbers hold. */
const LARGEST = { smallint: 2n ** 15n - 1n, integer: 2n ** 31n - 1n, bigint: 2n ** 63n - 1n }

/** Which texts PostgreSQL compares with the key; it fails for others. SQLite compares anything. */
export type KeyType = 'any' | 'uuid' | keyof typeof LARGEST

/* Written so that PostgreSQL reads them, too. */
const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const WHOLE = /^[0-9]{1,19}$/

/** Users of a Lucid model: the drivers `lucid`, `orm`, `model` and `async_model`. */
export class LucidUserProvider<Model extends LucidModel = LucidModel>
  extends AttributeUserProvider<InstanceType<Model>>
  implements UserProvider<InstanceType<Model>>
{
  /** Those of two concurrent first requests are equal. */
  #join?: RowJoin<InstanceType<Model>>
  #model?: Promise<Model>
  #readyModel?: Model
  #keyType?: Promise<KeyType>
  #idField!: string

  constructor(
    protected override spec: Omit<LucidUserProviderSpec<Model>, 'driver'>,
    hasher: PasswordHash
  ) {
    super(spec, hasher)
  }

  async warmUp() {
    await this.#loadModel()
  }

  async assertFields(name: string) {
    const model = await this.#loadModel()
    const { usernameField, passwordField, idField, isActive } = this.spec
    const given = Object.entries({ usernameField, passwordField, idField, isActive })
    for (const [setting, field] of given) {
      const isThere = typeof field !== 'string' || model.$hasColumn(field) || field in new model()
      const missing = `The user provider "${name}": "${setting}" names "${field}", which the model ${model.name} does not have`
      assertArgument(isThere, missing)
    }
  }

  async retrieveById(id: UserId) {
    const model = await this.#loadModel()
    const keyType = await this.#findKeyType(model)
    return canHold(keyType, String(id)) ? model.findBy(this.#idField, id) : null
  }

  async retrieveAll(ids: readonly string[]) {
    const model = await this.#loadModel()
    const keyType = await this.#findKeyType(model)
    const usable = ids.filter((id) => canHold(keyType, id))
    return model.query().whereIn(this.#idField, usable)
  }

  async retrieveByCredentials(credentials: Credentials) {
    const username = this.usernameIn(credentials)
    const model = await this.#loadModel()
    return username !== null && isStorable(username)
      ? model.findBy(this.usernameField, username)
      : null
  }

  getIdentifier(user: InstanceType<Model>): UserId {
    return (user as any)[this.#idField]
  }

  async updatePassword(user: InstanceType<Model>, password: string) {
    await this.#writePassword(user, password, {})
  }

  async renewPassword(user: InstanceType<Model>, password: string) {
    const attribute = this.passwordField
    await this.#writePassword(user, password, { [attribute]: (user as any)[attribute] })
  }

  async hasNewPassword(user: InstanceType<Model>) {
    const model = await this.#loadModel()
    const attribute = this.passwordField
    const query = model.query().where(this.#idField, this.getIdentifier(user))
    const current = await query.select(attribute).first()
    return (current as any)?.[attribute] !== (user as any)[attribute]
  }

  join(client: QueryClientContract): MaybePromise<RowJoin<InstanceType<Model>> | null> {
    const model = this.#readyModel
    if (!model) {
      return this.#loadModel().then(() => this.join(client))
    }
    const own = model.connection ?? model.$adapter.modelConstructorClient(model).connectionName
    return own === client.connectionName ? (this.#join ?? this.#makeJoin(model)) : null
  }

  async #makeJoin(model: Model) {
    return (this.#join = joinUsers(model, this.#idField, await this.#findKeyType(model)))
  }

  /** Bypasses model hooks: a beforeSave hook would hash the hash again. */
  async #writePassword(user: InstanceType<Model>, password: string, condition: object) {
    const model = await this.#loadModel()
    const hash = await this.hasher.make(password)
    const attribute = this.passwordField
    const result = await model
      .query({ client: user.$trx })
      .where({ [this.#idField]: this.getIdentifier(user), ...condition })
      .update({ [attribute]: hash })

    if (affectedRows(result) > 0) {
      user.$attributes[attribute] = hash
      user.$original[attribute] = hash
    }
  }

  #loadModel() {
    return (this.#model ??= this.#importModel())
  }

  async #importModel(): Promise<Model> {
    const { model: reference } = this.spec
    const { default: model }: { default: Model } =
      'boot' in reference ? { default: reference } : await (reference as ModelImport<Model>)()
    model.boot()
    this.#idField = this.spec.idField ?? model.primaryKey
    this.#readyModel = model
    return model
  }

  #findKeyType(model: LucidModel) {
    this.#keyType ??= findKeyType(model, this.#idField)
    this.#keyType.catch(() => (this.#keyType = undefined))
    return this.#keyType
  }
}

async function findKeyType(model: LucidModel, idField: string): Promise<KeyType> {
  const { client } = model.query()
  if (client.dialect.name !== 'postgres') {
    return 'any'
  }
  /* Not Lucid's columnsInfo: inside a transaction it ignores the table. */
  const { type } = (await client
    .knexQuery()
    .table(model.table)
    .columnInfo(model.$keys.attributesToColumns.resolve(idField))) as unknown as { type: string }
  return type === 'uuid' || type in LARGEST ? (type as KeyType) : 'any'
}

export function canHold(keyType: KeyType, id: string): boolean {
  if (keyType === 'any') {
    return isStorable(id)
  }
  return keyType === 'uuid' ? UUID.test(id) : WHOLE.test(id) && BigInt(id) <= LARGEST[keyType]
}

/** Joins the model's table to the table of a store, whose user ids are text. */
export function joinUsers<Model extends LucidModel>(
  model: Model,
  idField: string,
  keyType: KeyType
): RowJoin<InstanceType<Model>> {
  const build = hydrator(model)
  const table = `"${model.table}"`
  const key = model.$keys.attributesToColumns.resolve(idField)
  const columns = [...model.$columnsDefinitions.values()].map(({ columnName }) => columnName)
  const names = columns.map((column) => ({ alias: `${PREFIX}${column}`, column }))
  const selected = columns.map((column) => `"${column}"`).join(', ')

  return {
    columns: names.map(({ alias, column }) => `${table}."${column}" AS "${alias}"`).join(', '),
    select: `SELECT ${selected} FROM ${table} WHERE "${key}" = ?`,
    build,
    clause: (column) => `LEFT JOIN ${table} ON ${table}."${key}" = ${castTo(keyType, column)}`,
    hydrate(row) {
      if (row[`${PREFIX}${key}`] === null) {
        return null
      }
      const result: Record<string, unknown> = {}
      for (const { alias, column } of names) {
        result[column] = row[alias]
      }
      return build(result)
    },
  }
}

/** Casts an id to the type of the key, so that the database can use the key's index. */
function castTo(keyType: KeyType, column: string): string {
  if (keyType === 'any') {
    return column
  }
  return keyType === 'uuid'
    ? `CASE WHEN ${column} ~ '${UUID.source}' THEN CAST(${column} AS uuid) END`
    : `CASE WHEN ${column} ~ '${WHOLE.source}' AND lpad(${column}, 19, '0') <= '${LARGEST.bigint}' THEN CAST(${column} AS bigint) END`
}
