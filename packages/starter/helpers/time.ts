import { replaceForTest, wrapForTest } from '#starter/helpers/replace'

/** Milliseconds that a value which is accepted once is remembered after its time: clocks of processes differ. */
export const USED_LEEWAY = 60_000

/** Lets `Date.now()` run ahead by so many seconds until the test ends. */
export function travel(seconds: number): void {
  wrapForTest(Date, 'now', (now) => () => now() + seconds * 1000)
}

/**
 * Stops `Date.now()` at a whole second until the test ends.
 *
 * @returns lets it run ahead by so many seconds
 */
export function stopClock(): (seconds: number) => void {
  let now = Math.ceil(Date.now() / 1000) * 1000
  replaceForTest(Date, 'now', () => now)
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
  replaceForTest(performance, 'now', () => now)
  return (milliseconds) => {
    now += milliseconds
  }
}
