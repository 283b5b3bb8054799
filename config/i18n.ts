import app from '@adonisjs/core/services/app'
import { defineConfig, loaders } from '@adonisjs/i18n'

import { kitWords, messageFormatter } from 'adonis-auth-kit/http'

/**
 * The words of pages, mails and messages: the kit's, and over them those of
 * `resources/lang/<language>/*.json`, as ICU messages. A folder more is a language more; people get the one that their
 * browser asks for, and the default when it asks for none of them.
 */
export default defineConfig({
  defaultLocale: 'en',
  formatter: messageFormatter(),
  loaders: [
    kitWords({ location: app.languageFilesPath() }),
    loaders.fs({ location: app.languageFilesPath() }),
  ],
})
