/** A function that asks another one once for each key. */
export function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined && !known.has(key)) {
      value = make(key)
      known.set(key, value)
    }
    return value as Value
  }
}
