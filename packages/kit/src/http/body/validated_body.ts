import { HttpRequest } from '@adonisjs/core/http'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Validators of requests that change something read the body alone. AdonisJS adds the query string, which wins: passwords
 * would be taken from addresses, which logs keep, and which another site can make a browser post to without a form.
 */
export function validateBodiesAlone(): void {
  for (const method of ['validateUsing', 'tryValidateUsing'] as const) {
    const validate = HttpRequest.prototype[method] as (...args: any[]) => any
    HttpRequest.macro(method, function (this: HttpRequest, validator: any, options: any) {
      const isSafe = SAFE_METHODS.includes(this.method())
      return validate.call(this, validator, isSafe ? options : { data: fieldsOf(this), ...options })
    })
  }
}

function fieldsOf(request: HttpRequest) {
  return {
    ...request.body(),
    params: request.params(),
    headers: request.headers(),
    cookies: request.cookiesList(),
  }
}
