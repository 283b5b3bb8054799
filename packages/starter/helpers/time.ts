import { getActiveTest } from '@japa/runner'

/** Lets `Date.now()` run ahead by so many seconds until the test ends. */
export function travel(seconds: number): void {
  const now = Date.now.bind(Date)
  const original = Date.now
  Date.now = () => now() + seconds * 1000
  getActiveTest()!.cleanup(() => {
    Date.now = original
  })
}

/**
 * Stops `Date.now()` at a whole second until the test ends.
 *
 * @returns lets it run ahead by so many seconds
 */
export function stopClock(): (seconds: number) => void {
  const original = Date.now
  let now = Math.ceil(original() / 1000) * 1000
  Date.now = () => now
  getActiveTest()!.cleanup(() => {
    Date.now = original
  })
  return (seconds) => {
    now += seconds * 1000
  }
}

/**
 * Stops `performance.now()` at a whole millisecond until the test ends.
 *
 * @returns lets it run ahead by so many milliseconds
 */
export function stopTimer(): (milliseconds: number) => void {
  let now = Math.ceil(performance.now())
  performance.now = () => now
  getActiveTest()!.cleanup(() => void Reflect.deleteProperty(performance, 'now'))
  return (milliseconds) => {
    now += milliseconds
  }
}
