/* What features add to the types of `auth.feature()`, of guards and of settings, whether their providers are listed or not. */
import type { HttpContext } from '@adonisjs/core/http'

import type { ApiTokenService } from '#api_token/api_token_service'
import type { ApiTokenGuard } from '#api_token/guard'
import type { ProtectedResources } from '#auth/protected_resources'
import type { EmailVerification } from '#email_verification/email_verification'
import type { MailCodes } from '#mail_code/mail_codes'
import type { Dpop } from '#oauth2/dpop/dpop'
import type { AskingClient, loginHint } from '#oauth2/features'
import type { OAuth2Guard } from '#oauth2/guard'
import type { ConnectedApps } from '#oauth2/user_grants/connected_apps'
import type { Passkeys } from '#passkeys/passkeys'
import type { PasswordResets } from '#password_reset/password_resets'
import type { SessionGuard } from '#session/guard'
import type { SessionService } from '#session/session_service'
import type { Social } from '#social/social'
import type { TwoFactor } from '#two_factor/two_factor'
import type { Workspaces } from '#workspaces/workspaces'

export type {} from '#auth/security_events'
export type {} from '#password_reset/store'

declare module '#auth/features' {
  interface AuthFeatures {
    apiTokens: ApiTokenService
    /** Who has sent a person to the sign-in page, or to a question. */
    askingClient: AskingClient
    /** Fresh confirmations, required to create credentials. */
    confirmations: { requireOfSession(ctx: HttpContext): Promise<void> }
    /** The OAuth clients that users have allowed to act for them. */
    connectedApps: ConnectedApps
    emailVerification: EmailVerification
    mailCodes: MailCodes
    /** What an OpenID Connect client says of the person who is about to sign in. */
    openid: { loginHint: typeof loginHint }
    passkeys: Passkeys
    passwordResets: PasswordResets
    /** Endpoints that accept access tokens bound to their own URL (RFC 8707). */
    protectedResources: ProtectedResources
    sessions: SessionService
    social: Social
    /** A scheme of access tokens besides Bearer. */
    tokenScheme: Dpop
    twoFactor: TwoFactor
    workspaces: Workspaces
  }
}

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    oauth2: OAuth2Guard<User>
    session: SessionGuard<User>
    token: ApiTokenGuard<User>
  }
}
