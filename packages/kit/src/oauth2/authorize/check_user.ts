import type { GuardName } from '#auth/authenticators'
import { authContext } from '#auth/protection'
import type { Check } from '#oauth2/authorize/check'

/** The approving user is authenticated through the guard `authorizationGuard`. */
export const checkUser: Check = async (request, { guard }) => {
  const name = guard as GuardName
  const context = await authContext(request.ctx, { guards: [name] })
  const { users } = request.ctx.authenticator.use(name)
  request.guardName = name
  request.context = context
  request.user = { userId: users.identify(context.user), provider: users.name }
}
