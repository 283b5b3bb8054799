import { readFile } from 'node:fs/promises'

import { errors, type HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { documents } from '#services/documentation'

/** The documents of this repository as text, for who develops the application. */
export default class DocumentationController {
  async show({ request, params, response }: HttpContext) {
    if (!documents().includes(params.name)) {
      throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
    }
    response.type('text/plain; charset=utf-8')
    return response.send(await readFile(app.makePath('docs', `${params.name}.md`), 'utf8'))
  }
}
