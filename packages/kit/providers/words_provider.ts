import { assertRuntime } from '#config/checks'
import { addKitViews } from '#http/kit_views'
import { addRequestWords, addViewWords } from '#http/words'
import { KitProvider } from '#process/kit_provider'

/** The words of `resources/lang`, and this package's pages where the application has none of its own. */
export default class WordsProvider extends KitProvider {
  /** @throws {RuntimeException} when pages would have no words, but for whoever asks for another language */
  async boot() {
    const manager = await this.make('i18n')
    const { defaultLocale } = manager
    assertRuntime(
      manager.getSupportedLocaleFor(defaultLocale),
      `"defaultLocale" of config/i18n.ts is "${defaultLocale}", and resources/lang has no folder of this language`
    )
    addRequestWords(manager)
    const edge = await this.edge()
    if (edge) {
      addKitViews(edge, { cached: this.app.inProduction })
      /* A plugin, because the one of @adonisjs/i18n would replace what is set before it runs. */
      edge.use(() => addViewWords(edge, manager))
    }
  }
}
