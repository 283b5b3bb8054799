import encryption from '@adonisjs/core/services/encryption'

/** Seconds in which a nonce is accepted. */
export const NONCE_LIFETIME = 300

const PURPOSE = 'dpop nonce'

/** A nonce for the proofs of clients (RFC 9449 §8). Every process that has the application's key accepts it, and none keeps it. */
export function createNonce(): string {
  return encryption.encrypt(Date.now(), { purpose: PURPOSE })
}

/** Whether a nonce was made here, a short time ago. */
export function isNonce(nonce: unknown): boolean {
  const createdAt = typeof nonce === 'string' ? encryption.decrypt<number>(nonce, PURPOSE) : null
  return createdAt !== null && Date.now() - createdAt < NONCE_LIFETIME * 1000
}
