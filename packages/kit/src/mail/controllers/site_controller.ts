import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { designToken } from '#mail/design_tokens'
import { pathTo } from '#http/path_to'

/** What browsers ask for beside the pages. The mark is that of components/brand.edge. */
export default class SiteController {
  async icon({ view, response }: HttpContext) {
    const mark = await view.render('components/brand', {
      as: 'mark',
      fill: designToken('accent'),
      ink: designToken('surface'),
    })
    return response.type('image/svg+xml').header('Cache-Control', 'max-age=86400').send(mark.trim())
  }

  async manifest({ response }: HttpContext) {
    const icons = [{ src: pathTo('site.icon'), sizes: 'any', type: 'image/svg+xml' }]
    return response
      .type('application/manifest+json')
      .header('Cache-Control', 'max-age=86400')
      .send(
        JSON.stringify({
          name: app.config.get<string>('app.appName'),
          start_url: '/',
          display: 'browser',
          background_color: designToken('page'),
          theme_color: designToken('accent'),
          icons,
        })
      )
  }
}
