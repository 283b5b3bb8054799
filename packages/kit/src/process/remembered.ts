interface Memory<Key, Value> {
  get(key: Key): Value | undefined
  has(key: Key): boolean
  set(key: Key, value: Value): unknown
}

/**
 * A function that asks another one once for each key.
 * @param known where values are kept: a WeakMap forgets those of keys that are gone
 */
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
