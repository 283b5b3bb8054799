import { assertArgument, markResolved, withDefaults } from '#config/checks'

/** The settings of `config/two_factor.ts`. */
export interface TwoFactorConfig {
  /** What authenticator apps call this application beside the codes. Without a colon. */
  issuer: string
}

export type ResolvedTwoFactorConfig = TwoFactorConfig

/** @throws {InvalidArgumentsException} for an unknown setting, or an issuer that is empty or has a colon */
export function defineConfig(config: TwoFactorConfig): ResolvedTwoFactorConfig {
  const { issuer } = withDefaults('TwoFactorConfig', config, { issuer: undefined })
  const fault =
    'TwoFactorConfig: "issuer" must be a name without a colon, which separates it from the account'
  assertArgument(typeof issuer === 'string' && issuer && !issuer.includes(':'), fault)
  return markResolved({ issuer })
}
