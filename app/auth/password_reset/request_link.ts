import type { HttpContext } from '@adonisjs/core/http'

import { Throttled } from '#auth/errors'
import type { AuthManager } from '#auth/manager'

/**
 * Handles a stranger's wish for a reset link. Nothing that depends on the
 * e-mail happens before the reply is out, so that neither the reply nor its
 * time tells whether there is such a user.
 *
 * @returns the token, for the reply: with `debugExposeResetToken` alone, and when one was made
 * @throws {Throttled} when this address has asked too often
 */
export async function requestResetLink(
  manager: AuthManager,
  email: string,
  ctx: HttpContext
): Promise<string | null> {
  await manager.feature('throttle')?.penalize('passwordMails', null, ctx)

  const broker = manager.broker()
  const afterReply = (task: () => Promise<void>) =>
    manager.background.afterReply(ctx.response, 'send a password reset link', task)

  if (!manager.config.debugExposeResetToken) {
    afterReply(async () => void (await unlessThrottled(broker.sendResetLink(email))))
    return null
  }

  const token = await unlessThrottled(broker.createToken(email))
  if (token !== null) {
    afterReply(() => broker.deliver(email, token))
  }
  return token
}

async function unlessThrottled<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result
  } catch (error) {
    if (error instanceof Throttled) {
      return null
    }
    throw error
  }
}
