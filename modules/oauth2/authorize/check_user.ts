import { InvalidToken } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A user must be there to approve, through the guard `authorizationGuard` (spec 2, Authentication 3). */
export const checkUser: Check = async (request, { guard }) => {
  const { auth } = request.ctx
  const context = await auth.authenticateUsing([guard])
  if (context.user === null) {
    throw new InvalidToken('The token does not belong to a user.')
  }
  const { users } = auth.use(guard)
  request.context = context
  request.user = { userId: users.identify(context.user), provider: users.name }
}
