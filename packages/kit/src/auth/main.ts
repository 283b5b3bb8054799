export { AccountProof, type Proof } from '#auth/account_proof'
export { email, password } from '#auth/credential_rules'
export { InvalidSession, TemporarilyUnavailable, Unauthenticated } from '#auth/errors'
export * as errors from '#auth/errors'
export { AsyncAuth, Auth } from '#auth/facade'
export { adonisAuthGuard } from '#auth/guards/adonis_auth'
export { sesameGuard } from '#auth/guards/sesame'
export { type Guard, type LoginGuard, RequestGuard } from '#auth/guards/guard'
export type { LoginStep } from '#auth/login_steps'
export { AuthManager } from '#auth/manager'
export { PasswordHasher } from '#auth/password_hasher'
export { verifyLogin, verifyPasswordOf } from '#auth/password_login'
export { otherProofs, proofValidator, provingPassword } from '#auth/account_proof'
export {
  authContext,
  currentUser,
  optionalUser,
  requireAbilities,
  requireScopes,
} from '#auth/protection'
export { AuthContext, Refusal } from '#auth/outcome'
export { Users } from '#auth/users'
