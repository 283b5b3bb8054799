import { Exception } from '@adonisjs/core/exceptions'

/** The path exists, but not for this method. */
export default class MethodNotAllowed extends Exception {
  static override status = 405
  static override code = 'E_METHOD_NOT_ALLOWED'

  constructor(readonly allowed: string[]) {
    super('Method not allowed')
  }
}
