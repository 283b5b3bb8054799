import type { GuardName } from '#auth/authenticators'
import { authContext } from '#auth/protection'
import type { Check } from '#oauth2/authorize/check'

/** A user must be there to approve, through the guard `authorizationGuard` (spec 2, Authentication 3). */
export const checkUser: Check = async (request, { guard }) => {
  const name = guard as GuardName
  const context = await authContext(request.ctx, { guards: [name] })
  const { users } = request.ctx.auth.use(name)
  request.context = context
  request.user = { userId: users.identify(context.user), provider: users.name }
}
