import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ApplicationService } from '@adonisjs/core/types'
import lodash from '@poppinss/utils/lodash'

import type { Device } from '#http/device'
import { KIT_RESOURCES } from '#http/kit_views'

/**
 * The global `oauth` in templates of OAuth pages: the kit's English words, and over them those of
 * resources/oauth_words.json (`consent.title`).
 */
export async function hostWords(app: ApplicationService) {
  const pages = JSON.parse(await readFile(join(KIT_RESOURCES, 'lang/en/pages.json'), 'utf8'))
  const file = await readFile(app.makePath('resources/oauth_words.json'), 'utf8').catch(() => '{}')
  const own = { app_name: app.appName ?? 'this application', ...JSON.parse(file) }
  return {
    /** The words of a key, e.g. `pages.consent.title`. */
    t: (name: string, values: Record<string, unknown> = {}) => {
      const key = name.replace(/^pages\./, '')
      const text: string = own[key] ?? lodash.get(pages, key, key)
      return text.replace(/\{(\w+)\}/g, (_, one) => String(values[one]))
    },
    moment: (at: Date) => at.toUTCString(),
    device: ({ browser, system }: Device) => [browser, system].filter(Boolean).join(', '),
    permission: ({ description }: { description: string }) => description,
    appName: own.app_name as string,
  }
}
