import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { DocumentSource } from '#json_api/document_source'
import { contentType } from '#json_api/media_types'
import { assertAcceptable } from '#json_api/negotiation'

/**
 * Lets every route answer with a resource or a collection: its document honours `include` and
 * `fields` of the request. The status stays what the handler made it.
 */
export default class JsonApiResourcesMiddleware {
  async handle({ request, response }: HttpContext, next: NextFn) {
    await next()
    const body: unknown = response.lazyBody.content?.[0]
    if (!(body instanceof DocumentSource)) {
      return
    }
    assertAcceptable(request)
    const document = await body.forRequest(request).serialize()
    response.header('Content-Type', contentType(body.profile))
    response.vary('Accept')
    /* Plain JSON without cycles: `response.send` of an object would check for them. */
    response.send(JSON.stringify(document))
  }
}
