import { readFileSync } from 'node:fs'

import { DocumentFetcher, type DocumentFetcherOptions } from '#kit/http/document_fetcher'

const TLS = new URL('./fixtures/tls/', import.meta.url)

/** A certificate or key of the tests, in PEM. */
export const readTls = (file: string) => readFileSync(new URL(file, TLS), 'utf8')

/** A fetcher that finds the names of the tests on this machine, and is otherwise like the shipped one. */
export function testFetcher(options: Partial<DocumentFetcherOptions> = {}): DocumentFetcher {
  return new DocumentFetcher({
    maxBytes: 5120,
    resolve: async () => ['127.0.0.1'],
    isAllowed: (address) => address === '127.0.0.1',
    ca: [readTls('authority.pem')],
    ...options,
  })
}
