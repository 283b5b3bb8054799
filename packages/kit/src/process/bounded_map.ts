/** A map that forgets its oldest entry when there is no room for another one. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(protected readonly limit: number) {
    super()
  }

  override set(key: Key, value: Value): this {
    if (!this.has(key) && this.size >= this.limit) {
      this.delete(this.keys().next().value!)
    }
    return super.set(key, value)
  }
}
