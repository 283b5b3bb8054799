import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { assertArgument } from '#config/checks'
import type { MaybePromise } from '#process/maybe_promise'
import type { ModelImport } from '#database/models'
import { affectedRows } from '#database/raw_query'
import type { RowJoin } from '#database/raw_rows'
import { isStorable } from '#database/storable_text'
import {
  type LucidUserProviderSpec,
  type Credentials,
  type UserId,
  type UserProvider,
  type PasswordHash,
  AttributeUserProvider,
} from '#auth/user_providers/user_provider'
import { type KeyType, canHold, findKeyType, joinUsers } from '#auth/user_providers/lucid_join'

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
