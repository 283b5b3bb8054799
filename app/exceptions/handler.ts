import { HttpExceptionHandler as KitExceptionHandler } from 'adonis-auth-kit/exceptions'

/**
 * Answers errors as a page or as JSON, depending on the caller's `Accept`. Errors of JSON:API routes are
 * always an `errors` document, those of OAuth endpoints have the form that clients know.
 */
export default class HttpExceptionHandler extends KitExceptionHandler {}
