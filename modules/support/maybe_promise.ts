/** A value, or a promise of it: what a sync or an async implementation may return. */
export type MaybePromise<T> = T | Promise<T>
