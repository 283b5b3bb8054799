/** Prints how long something took, and what it says of itself. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const begin = performance.now()
  const result = await work()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  process.stdout.write(
    `  ${name}: ${typeof result === 'string' ? `${result}, ` : ''}${seconds} s\n`
  )
  return result
}
