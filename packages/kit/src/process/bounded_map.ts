/** A map that forgets its oldest entry when there is no room for another one. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  constructor(protected readonly limit: number) {}

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    if (!this.#entries.has(key) && this.#entries.size >= this.limit) {
      this.#entries.delete(this.#entries.keys().next().value!)
    }
    this.#entries.set(key, value)
  }
}
