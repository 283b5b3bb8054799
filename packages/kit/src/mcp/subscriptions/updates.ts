import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { Server } from '#mcp/server'
import { updateOf } from '#mcp/subscriptions/subscriptions'

/**
 * Tells subscribed clients, whichever process they are connected to, that a resource has changed.
 *
 * @param uri of a resource whose class is `subscribable`
 * @param transaction the change is told when it is committed
 * @example
 * await resourceUpdated('blog://posts/latest', post.$trx)
 */
export async function resourceUpdated(
  uri: string,
  transaction?: TransactionClientContract
): Promise<void> {
  if (transaction) {
    transaction.after('commit', () => publish(uri))
  } else {
    await publish(uri)
  }
}

/** The change itself has succeeded, so a failure to tell of it is logged and not thrown. */
async function publish(uri: string): Promise<void> {
  try {
    await Server.manager?.subscriptions.signals.publish(updateOf(uri))
  } catch (error) {
    logger.warn({ err: error, uri }, 'Subscribed MCP clients are not told of an update')
  }
}
