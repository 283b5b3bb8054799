import type { HttpContext } from '@adonisjs/core/http'

import { MEDIA_TYPE } from '#json_api/media_type'
import { Renderable } from '#json_api/renderable'

/**
 * Sends a resource or a collection that a route handler returned or sent, as a
 * document that honours `include` and `fields` of the request. The status stays
 * what the handler made it. Any other answer is left alone.
 */
export async function respond({ request, response }: HttpContext) {
  const body: unknown = response.lazyBody.content?.[0]
  if (!(body instanceof Renderable)) {
    return
  }
  const document = await body.forRequest(request).serialize()
  response.header('Content-Type', MEDIA_TYPE)
  response.vary('Accept')
  /* The document is plain JSON: no need for the slower way that minds cycles. */
  response.send(JSON.stringify(document))
}
