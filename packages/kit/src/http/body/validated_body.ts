import { HttpRequest } from '@adonisjs/core/http'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Has the validators of requests take the options that a function makes of those that they are given. */
export function beforeValidation(
  optionsOf: (request: HttpRequest, validator: any, options: any) => unknown
): void {
  for (const method of ['validateUsing', 'tryValidateUsing'] as const) {
    const validate = HttpRequest.prototype[method] as (...args: any[]) => any
    HttpRequest.macro(method, function (this: HttpRequest, validator: any, options: any) {
      return validate.call(this, validator, optionsOf(this, validator, options))
    })
  }
}

/**
 * Validators of requests that change something read the body alone. AdonisJS adds the query string, which wins: passwords
 * would be taken from addresses, which logs keep, and which another site can make a browser post to without a form.
 */
export function validateBodiesAlone(): void {
  beforeValidation((request, _validator, options) =>
    SAFE_METHODS.includes(request.method()) ? options : { data: fieldsOf(request), ...options }
  )
}

function fieldsOf(request: HttpRequest) {
  return {
    ...request.body(),
    params: request.params(),
    headers: request.headers(),
    cookies: request.cookiesList(),
  }
}
