import type { KeyRecord, KeyStore } from '#oauth2/keys/key_store'

/** Keys of this process alone. */
export class MemoryKeyStore implements KeyStore {
  readonly #records = new Map<string, KeyRecord>()

  list(): KeyRecord[] {
    return [...this.#records.values()]
      .map((record) => ({ ...record }))
      .sort((a, b) => a.signsAt - b.signsAt)
  }

  insert(record: KeyRecord): void {
    this.#records.set(record.kid, { ...record })
  }

  delete(kid: string): boolean {
    return this.#records.delete(kid)
  }
}
