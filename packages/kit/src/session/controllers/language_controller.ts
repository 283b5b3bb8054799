import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'

import { previousPage } from '#http/pages'
import { isOwnPath } from '#session/cookies'
import { currentViewer } from '#session/facade'

export default class LanguageController {
  /**
   * Switches the language of the pages: for this session, and for the account of whoever is signed in. The form names its
   * page, because the browser does not where the address of the page holds a secret.
   */
  async store(ctx: HttpContext) {
    const { language, page }: Record<string, unknown> = ctx.request.all()
    /* The form of another site comes without cookies, so the session that it began would replace that of whoever is signed in. */
    const isForeign = ctx.request.header('sec-fetch-site') === 'cross-site'
    const languages = isForeign ? [] : i18nManager.supportedLocales()
    if (typeof language === 'string' && languages.includes(language)) {
      ctx.session.put('language', language)
      const user = await currentViewer(ctx)
      await user?.merge({ language }).save()
    }
    const next = isOwnPath(page) ? page : previousPage(ctx)
    return ctx.response.redirect().toPath(next ?? '/')
  }
}
