import { KeyChanges } from '#oauth2/keys/key_changes'
import type { KeySet } from '#oauth2/keys/key_set'
import type { MaybePromise } from '#process/maybe_promise'

/**
 * Takes out the keys that another one has replaced, once every access token that
 * they may have signed has expired. A personal access token can live for years.
 */
export class ExpiredKeys {
  constructor(
    protected parts: {
      keys: KeySet
      config: { accessTokenTtl: number; keys: { publishFor: number } }
      tokens: { hasActiveFrom(until: number, now: number): MaybePromise<boolean> }
    }
  ) {}

  /** @returns how many keys were taken out */
  async purge(now: number): Promise<number> {
    const { keys, config, tokens } = this.parts
    const changes = new KeyChanges(keys, config.keys.publishFor)
    let retired = 0
    for (const { kid, state, replacedAt } of await changes.list()) {
      if (state !== 'verifies' || replacedAt === null) {
        continue
      }
      /* Until then a process may have signed with it that had not heard of its successor. */
      const last = replacedAt + keys.delay
      const isOver = now >= last + config.accessTokenTtl * 1000
      if (isOver && !(await tokens.hasActiveFrom(last, now))) {
        await changes.retire(kid)
        retired++
      }
    }
    return retired
  }
}
