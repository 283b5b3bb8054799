import { InvalidClient } from '#auth/errors'

/**
 * The metadata document of a client cannot be fetched. One answer for every
 * reason: a caller must not learn from it what this server can reach.
 */
export class DocumentUnavailable extends InvalidClient {
  /** @param reason for operators */
  constructor(reason: string) {
    super('The metadata document of the client cannot be fetched.', {
      reason: `metadata document not fetched: ${reason}`,
    })
    this.code = 'client_document_unavailable'
  }
}

/** The metadata document of a client was fetched and describes no client that works here. */
export class DocumentRefused extends InvalidClient {
  /** @param complaint what is wrong with it, for the makers of the client */
  constructor(complaint: string) {
    super(`The metadata document of the client is not valid. ${complaint}`)
    this.code = 'client_document_refused'
  }
}
