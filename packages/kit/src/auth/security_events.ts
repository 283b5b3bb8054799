import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import type { HttpContext } from '@adonisjs/core/http'

import type { Owner, Users } from '#auth/users'
import type { Caller } from '#http/device'

/**
 * What happens to the security of an account, by name, each with its details.
 * Add events of your own with `declare module 'adonis-auth-kit/auth/security_events'`.
 */
export interface SecurityEvents {
  registered: {}
  signed_in: {}
  /** Signed in from a browser that has not signed in to this account before. */
  new_device: {}
  password_changed: {}
  /** The old and the new address. */
  email_changed: { from: string; to: string }
  email_change_requested: { to: string }
  email_verified: { email: string }
  sessions_ended: { count: number }
  two_factor_enabled: {}
  two_factor_disabled: {}
  recovery_codes_created: {}
  passkey_added: { name: string }
  passkey_removed: { name: string }
  /** An API token or a personal access token. */
  token_created: { name: string }
  token_revoked: { name: string }
  /** All personal access tokens at once. */
  tokens_revoked: { count: number }
  app_connected: { name: string }
  app_disconnected: { name: string }
  identity_linked: { name: string }
  identity_unlinked: { name: string }
  /** Somebody came from a provider and was refused, who is known to be of this account; the reason is a key of `social.refused`. */
  identity_refused: { name: string; reason: string }
  /** A provider said that the person signed out there. */
  identity_signed_out: { name: string }
  workspace_created: { name: string }
  workspace_renamed: { name: string }
  workspace_deleted: {}
  workspace_restored: {}
  workspace_transferred: { name: string }
  /** The identity provider of a domain. */
  workspace_provider_added: { name: string }
  workspace_provider_verified: { name: string }
  workspace_provider_removed: { name: string }
  workspace_passwords_forbidden: { name: string }
  workspace_passwords_allowed: { name: string }
  member_invited: { email: string }
  invitation_revoked: { email: string }
  member_joined: {}
  member_left: {}
  member_removed: { name: string }
  role_changed: { name: string; role: string }
  /** Passkeys, tokens, connected apps and the like, all at once. */
  access_ended: { count: number }
  /** Nothing of the account is left. */
  account_deleted: {}
}

export type SecurityEventType = keyof SecurityEvents
export type SecurityEventDetails = Record<string, string | number>

export interface SecurityEvent<Type extends SecurityEventType = SecurityEventType> {
  type: Type
  details: SecurityEvents[Type]
  user: any
  users: Users
  ctx: HttpContext
  /** A further subject of the event, e.g. `workspace:7`, whose log shows it, too. */
  about?: string
}

type EventsByName = { [Type in SecurityEventType as `auth:${Type}`]: SecurityEvent<Type> }

declare module '@adonisjs/core/types' {
  interface EventsList extends EventsByName {
    /** Every event of `SecurityEvents`, each of which is also emitted as `auth:<name>`. */
    'auth:security_event': SecurityEvent
  }
}

export interface LoggedEvent extends Owner, Caller {
  type: string
  details: SecurityEventDetails
  /** Epoch milliseconds. */
  createdAt: number
}

export interface SecurityEventLog {
  append(event: SecurityEvent): Promise<void>
  hasSignIns(user: unknown, users: Users): Promise<boolean>
  /** The latest events about something, the newest first; for logs of workspaces. */
  about?(subject: string, limit: number): Promise<LoggedEvent[]>
  forget(user: unknown, users: Users): Promise<void>
}

/**
 * Records a security event of an account: writes it to the person's log, and emits `auth:<type>` and
 * `auth:security_event`, which sends mails. Never throws, even if the log cannot be written.
 * @param users default: those of the default guard
 */
export async function recordSecurityEvent<Type extends SecurityEventType>(
  ctx: HttpContext,
  user: unknown,
  type: Type,
  details: SecurityEvents[Type],
  users?: Users,
  about?: string
): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const event = { type, details, user, users: users ?? manager.usersOf(), ctx, about }
  try {
    await manager.feature('securityLog')?.append(event)
  } catch (error) {
    ctx.logger.error({ err: error, type }, 'Cannot log a security event')
  }
  void emitter.emit('auth:security_event', event)
  void emitter.emit(`auth:${type}`, event as any)
}
