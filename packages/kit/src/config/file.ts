import { assertRuntime } from '#config/checks'

/** What a `defineConfig` has returned. */
const resolved = new WeakSet<object>()

/** Marks a configuration as checked and complete; for the end of a `defineConfig`. */
export function markResolved<Resolved extends object>(config: Resolved): Resolved {
  resolved.add(config)
  return config
}

/** What `defineConfig` made of a config file: its export, or settings as a plain object or a class with static attributes. */
export function resolveConfig<Settings, Resolved extends object>(
  exported: unknown,
  defineConfig: (settings: Settings) => Resolved
): Resolved {
  return typeof exported === 'object' && exported !== null && resolved.has(exported)
    ? (exported as Resolved)
    : defineConfig({ ...(exported as Settings) })
}

/** The same for a file that the provider cannot do without. @throws {RuntimeException} when there is none */
export function requireConfig<Settings, Resolved extends object>(
  config: { get(name: string): unknown },
  name: string,
  defineConfig: (settings: Settings) => Resolved
): Resolved {
  const exported = config.get(name)
  assertRuntime(exported, `There is no config/${name}.ts, or it exports nothing`)
  return resolveConfig(exported, defineConfig)
}
