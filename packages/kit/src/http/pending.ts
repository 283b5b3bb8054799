import type { HttpContext } from '@adonisjs/core/http'

import { isExpired } from '#database/records'

/** What waits in the session of a browser, until an instant in epoch milliseconds. */
type Pending = { expiresAt: number }

/** One thing of a kind: a newer one replaces it. */
export function pendingOne<Kept extends Pending>(key: string) {
  return {
    /** As text, because a session stores its changes path by path, and this is one thing. */
    keep({ session }: HttpContext, kept: Kept): void {
      session.put(key, JSON.stringify(kept))
    },
    /** Null when there is none (any more), e.g. at a token endpoint, without a session. */
    find({ session }: HttpContext): Kept | null {
      const text: unknown = session?.get(key, null)
      const kept: Kept | null = typeof text === 'string' ? JSON.parse(text) : null
      return kept && !isExpired(kept.expiresAt) ? kept : null
    },
    forget({ session }: HttpContext): void {
      session?.forget(key)
    },
  }
}

/** People have several tabs open, each of which may have begun something; more is forgotten. */
const LIMIT = 5

/** Several things of a kind, by their names. */
export function pendingByName<Kept extends Pending>(key: string) {
  /* The oldest first: a database may order the keys of an object. */
  const liveOnes = ({ session }: HttpContext): [string, Kept][] => {
    const kept: Record<string, Kept> = session.get(key, {})
    return Object.entries(kept)
      .filter(([, { expiresAt }]) => !isExpired(expiresAt))
      .sort(([, one], [, other]) => one.expiresAt - other.expiresAt)
  }
  return {
    keep(ctx: HttpContext, name: string, kept: Kept): void {
      const newest = liveOnes(ctx).slice(1 - LIMIT)
      ctx.session.put(key, Object.fromEntries([...newest, [name, kept]]))
    },
    /** Takes one out of the session, so that it counts once there; undefined when it is not in it. */
    take(ctx: HttpContext, name: string): Kept | undefined {
      const { [name]: found, ...others } = Object.fromEntries(liveOnes(ctx))
      ctx.session.put(key, others)
      return found
    },
  }
}
