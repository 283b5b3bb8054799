/** Records in the memory of the process, in the order of their insertion. What comes out are copies. */
export class MemoryRecords<Kept extends object> {
  readonly #records = new Map<unknown, Kept>()

  /** @param keyOf what no two records have in common */
  constructor(protected readonly keyOf: (record: Kept) => unknown) {}

  get size(): number {
    return this.#records.size
  }

  /** A record with the same key is replaced. */
  insert(record: Kept): void {
    this.#records.set(this.keyOf(record), { ...record })
  }

  find(key: unknown): Kept | null {
    const record = this.#records.get(key)
    return record ? { ...record } : null
  }

  where(matches: (record: Kept) => boolean = () => true): Kept[] {
    return [...this.#records.values()].filter(matches).map((record) => ({ ...record }))
  }

  /** Changes the records that match, and returns how many. */
  change(matches: (record: Kept) => boolean, changes: Partial<Kept>): number {
    const found = [...this.#records.values()].filter(matches)
    found.forEach((record) => Object.assign(record, changes))
    return found.length
  }

  delete(key: unknown): boolean {
    return this.#records.delete(key)
  }

  deleteWhere(matches: (record: Kept) => boolean): number {
    const found = this.where(matches)
    found.forEach((record) => this.delete(this.keyOf(record)))
    return found.length
  }
}
