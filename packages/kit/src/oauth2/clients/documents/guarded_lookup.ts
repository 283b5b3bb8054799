import { Resolver } from 'node:dns/promises'
import { isIPv6, type LookupFunction } from 'node:net'

/** A look-up that knows the answer, so that the name is not resolved a second time. */
export function answerWith(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_hostname, { all }, callback) => {
    if (all) {
      callback(null, answers)
    } else {
      callback(null, answers[0]!.address, answers[0]!.family)
    }
  }
}

/**
 * Asks the name servers directly: the system's own look-up reads the machine's
 * hosts file, and waits in the threads that hash passwords.
 */
export async function resolvePublicly(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1000, tries: 3 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const records = await Promise.all([
      resolver.resolve4(hostname).catch(noRecords),
      resolver.resolve6(hostname).catch(noRecords),
    ])
    return records.flat()
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function noRecords(): string[] {
  return []
}
