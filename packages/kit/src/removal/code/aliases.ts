import { dirname, join } from 'node:path/posix'

type Aliases = Readonly<Record<string, string>>

/** The file of this repository that a specifier stands for, without its extension; null for a package. */
export function resolveSpecifier(specifier: string, from: string, aliases: Aliases): string | null {
  if (specifier.startsWith('.')) {
    return withoutExtension(join(dirname(from), specifier))
  }
  const matches = Object.keys(aliases).filter((alias) => specifier.startsWith(prefixOf(alias)))
  const [longest] = matches.sort((one, other) => other.length - one.length)
  if (!longest) {
    return null
  }
  const rest = specifier.slice(prefixOf(longest).length)
  return withoutExtension(join(aliases[longest]!.replace('*', rest)))
}

const prefixOf = (alias: string) => alias.replace(/\*$/, '')

export const withoutExtension = (path: string) => path.replace(/\.[jt]s$/, '')
