/** The return type of a method that may be sync or async. */
export type MaybePromise<T> = T | Promise<T>
