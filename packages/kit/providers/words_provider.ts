import type { ApplicationService } from '@adonisjs/core/types'

import { addKitViews } from '#http/kit_views'
import { addRequestWords, addViewWords } from '#http/words'

/** The words of `resources/lang`, and this package's pages where the application has none of its own. */
export default class WordsProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const manager = await this.app.container.make('i18n')
    addRequestWords(manager)
    if (this.app.usingEdgeJS) {
      const { default: edge } = await import('edge.js')
      addKitViews(edge, { cached: this.app.inProduction })
      /* A plugin, because the one of @adonisjs/i18n would replace what is set before it runs. */
      edge.use(() => addViewWords(edge, manager))
    }
  }
}
