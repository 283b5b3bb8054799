import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { loaders } from '@adonisjs/i18n'
import { configProvider } from '@adonisjs/core'

import { KIT_RESOURCES } from '#http/kit_views'

/**
 * Loads the words of this package, for `loaders` of config/i18n.ts. Loaders behind it replace single words.
 * A language is offered when the application has a folder for it; where this package has none of that
 * language, its words are the English ones.
 *
 * @param location folder of the application's words
 */
export const kitWords = ({ location }: { location: string }) =>
  configProvider.create(async (app) => {
    const load = await loaders.fs({ location: join(KIT_RESOURCES, 'lang') }).resolver(app)
    return (config: Parameters<typeof load>[0]) => ({
      async load() {
        const words = await load(config).load()
        const languages = await readdir(location).catch(() => [config.defaultLocale])
        return Object.fromEntries(languages.map((name) => [name, words[name] ?? words.en!]))
      },
    })
  })
