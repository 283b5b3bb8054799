import { errors, type HttpContext } from '@adonisjs/core/http'

import { documentAsHtml } from '#services/documentation'

/** The documents of this repository, for who develops the application. */
export default class DocumentationController {
  async show({ request, params, view }: HttpContext) {
    const content = await documentAsHtml(params.name)
    if (content === null) {
      throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
    }
    return view.render('pages/dev/document', { name: params.name, content })
  }
}
