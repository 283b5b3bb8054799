import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import type { MaybePromise } from '#process/maybe_promise'
import { affectedRows } from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import {
  type LucidUserProviderSpec,
  type Credentials,
  type UserId,
  type UserProvider,
  type PasswordHash,
  AttributeUserProvider,
} from '#auth/user_providers/user_provider'
import { type KeyType, LucidUserJoin, canHold, findKeyType } from '#auth/user_providers/lucid_join'

/** Users of a Lucid model: the drivers `lucid`, `orm`, `model` and `async_model`. */
export class LucidUserProvider<Model extends LucidModel = LucidModel>
  extends AttributeUserProvider<InstanceType<Model>>
  implements UserProvider<InstanceType<Model>>
{
  readonly #joins = new Map<string, Promise<LucidUserJoin<Model>>>()
  /** The joins that are ready, so that no request waits for one. */
  readonly #readyJoins = new Map<string, LucidUserJoin<Model>>()
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

  async retrieveById(id: UserId) {
    const model = await this.#loadModel()
    const keyType = await this.#findKeyType(model)
    return canHold(keyType, String(id)) ? model.findBy(this.#idField, id) : null
  }

  async retrieveAll(ids: readonly string[]) {
    const model = await this.#loadModel()
    const keyType = await this.#findKeyType(model)
    return model.query().whereIn(
      this.#idField,
      ids.filter((id) => canHold(keyType, id))
    )
  }

  async retrieveByCredentials(credentials: Credentials) {
    const username = this.usernameIn(credentials)
    if (username === null || !isStorable(username)) {
      return null
    }
    const model = await this.#loadModel()
    return model.findBy(this.usernameField, username)
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
    const current = await model
      .query()
      .where(this.#idField, this.getIdentifier(user))
      .select(attribute)
      .first()
    return (current as any)?.[attribute] !== (user as any)[attribute]
  }

  join(client: QueryClientContract): MaybePromise<LucidUserJoin<Model> | null> {
    if (!this.#readyModel) {
      return this.#loadModel().then(() => this.join(client))
    }
    const { connectionName } = client
    if (connectionOf(this.#readyModel) !== connectionName) {
      return null
    }
    return this.#readyJoins.get(connectionName) ?? this.#makeJoin(this.#readyModel, connectionName)
  }

  #makeJoin(model: Model, connectionName: string) {
    let join = this.#joins.get(connectionName)
    if (!join) {
      join = this.#findKeyType(model).then((keyType) => {
        const made = new LucidUserJoin(model, this.#idField, keyType)
        this.#readyJoins.set(connectionName, made)
        return made
      })
      this.#joins.set(connectionName, join)
    }
    return join
  }

  /** Bypasses model hooks: a beforeSave hook would hash the hash again. */
  async #writePassword(
    user: InstanceType<Model>,
    password: string,
    condition: Record<string, string>
  ) {
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
      'boot' in reference
        ? { default: reference }
        : await (reference as () => Promise<{ default: Model }>)()
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

/** Name of the connection that a model is on. */
function connectionOf(model: LucidModel): string {
  return model.connection ?? model.$adapter.modelConstructorClient(model).connectionName
}
