import { AuthError } from '#auth/errors'

/** Nobody has decided yet: the device polls on (400, RFC 8628 §3.5). */
export class AuthorizationPending extends AuthError {
  constructor() {
    super('authorization_pending', 'Nobody has decided yet. Poll again after the interval.')
  }
}

/** Nobody has decided yet, and the device polls too often: it waits 5 seconds longer from now on (400, RFC 8628 §3.5). */
export class SlowDown extends AuthError {
  constructor() {
    super('slow_down', 'The interval between two polls is 5 seconds longer from now on.')
  }
}

/** The device code has expired: the device begins anew (400, RFC 8628 §3.5). */
export class ExpiredToken extends AuthError {
  constructor() {
    super('expired_token', 'The device_code has expired.')
  }
}
