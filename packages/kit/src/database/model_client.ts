import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/**
 * Options for `Model.create` and its kin, to write where the client does. Given `client`, they use
 * it for a transaction alone, and the default connection otherwise.
 */
export function modelOptions(
  client: QueryClientContract
): { client: QueryClientContract } | { connection: string } {
  return client.isTransaction ? { client } : { connection: client.connectionName }
}
