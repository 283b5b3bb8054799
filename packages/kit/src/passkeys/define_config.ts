import { isIP } from 'node:net'

import { assertArgument, assertKind, markResolved, withDefaults } from '#config/checks'

/** The settings of `config/passkeys.ts`. */
export interface PasskeysConfig {
  /** What browsers and phones call this application when they ask for a passkey. */
  name: string
  /** The host that passkeys belong to, or a domain above it (WebAuthn's "RP ID"). Passkeys of another host are lost when it changes. */
  rpId: string
  /** Origins of the pages that may ask for them, e.g. `https://app.example.com`. */
  origins: readonly string[]
}

export type ResolvedPasskeysConfig = PasskeysConfig

/** @throws {InvalidArgumentsException} for an unknown or missing setting, or a foreign origin */
export function defineConfig(config: PasskeysConfig): ResolvedPasskeysConfig {
  const settings = { name: undefined, rpId: undefined, origins: undefined }
  const { name, rpId, origins } = withDefaults('PasskeysConfig', config, settings)
  assertKind('PasskeysConfig', 'name', name, 'a text that is not empty')
  assertKind('PasskeysConfig', 'rpId', rpId, 'a text that is not empty')
  assertKind('PasskeysConfig', 'origins', origins, 'a list of values that are set')
  for (const origin of origins) {
    const url = URL.parse(origin)
    const isBelow = url?.hostname === rpId || url?.hostname.endsWith(`.${rpId}`)
    const fault = `PasskeysConfig: "origins" must be origins of the "rpId" or of hosts below it, e.g. "https://${rpId}"`
    assertArgument(url?.origin === origin && isBelow, fault)
  }
  return markResolved({ name, rpId, origins: [...origins] })
}

/** Whether browsers take passkeys for a host: it has to be a name (WebAuthn §5.1.3). */
export const isUsableHost = (rpId: string): boolean => isIP(rpId.replace(/^\[|\]$/g, '')) === 0
