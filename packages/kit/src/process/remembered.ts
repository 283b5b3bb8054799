interface Memory<Key, Value> {
  get(key: Key): Value | undefined
  has(key: Key): boolean
  set(key: Key, value: Value): unknown
}

/** A function that asks another one once for each key. @param known where values are kept */
export function remembered<Key, Value>(
  make: (key: Key) => Value,
  known: Memory<Key, Value> = new Map()
): (key: Key) => Value {
  return (key) => {
    let value = known.get(key)
    if (value === undefined && !known.has(key)) {
      value = make(key)
      known.set(key, value)
    }
    return value as Value
  }
}

/** The same of objects: what was made of one is forgotten with it. */
export function rememberedOf<Key extends object, Value>(make: (key: Key) => Value) {
  return remembered(make, new WeakMap<Key, Value>())
}

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
