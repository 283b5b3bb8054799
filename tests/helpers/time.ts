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
