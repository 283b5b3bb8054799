import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { designToken } from '#mail/design_tokens'
import { pathTo } from '#http/pages'

/** What browsers ask for beside the pages. The mark is that of components/brand.edge. */
export default class SiteController {
  async icon({ view, response }: HttpContext) {
    const colours = { fill: designToken('accent'), ink: designToken('surface') }
    const mark = await view.render('components/brand', { as: 'mark', ...colours })
    return response.type('image/svg+xml').header('Cache-Control', 'max-age=86400').send(mark.trim())
  }

  async manifest({ response }: HttpContext) {
    const manifest = {
      name: app.config.get<string>('app.appName'),
      start_url: '/',
      display: 'browser',
      background_color: designToken('page'),
      theme_color: designToken('accent'),
      icons: [{ src: pathTo('site.icon'), sizes: 'any', type: 'image/svg+xml' }],
    }
    response.type('application/manifest+json').header('Cache-Control', 'max-age=86400')
    return response.send(JSON.stringify(manifest))
  }
}
