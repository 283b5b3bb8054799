import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { loaders } from '@adonisjs/i18n'
import { configProvider } from '@adonisjs/core'

import { KIT_RESOURCES } from '#http/kit_views'

/**
 * The words of this package, for `loaders` of config/i18n.ts; loaders behind it replace single words. The application has
 * a folder for each language that it offers; a language that this package has not, has the English words.
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
