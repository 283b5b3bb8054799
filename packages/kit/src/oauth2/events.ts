import type { EventsList } from '@adonisjs/core/types'

import type { RefusedEvent } from '#auth/outcome'
import type { AccessTokenRecord } from '#oauth2/tokens/token_store'

/**
 * What an event says about an access token. Events never carry a secret. `clientId` is null for personal access tokens and
 * tokens of the password grant without a client, `userId` for client credentials.
 */
export type TokenEvent = ReturnType<typeof tokenEvent>

export interface ConsentEvent {
  clientId: string
  userId: string
  scopes: string[]
  resource: string | null
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    'oauth2:token_issued': TokenEvent & { grantType: string }
    'oauth2:token_refreshed': TokenEvent
    /** A rotated refresh token or a redeemed code was presented again, and what it led to was revoked. */
    'oauth2:reuse_detected': {
      kind: 'refresh_token' | 'authorization_code'
      clientId: string | null
      userId: string | null
    }
    'oauth2:token_revoked': {
      /** null when all tokens of the user, or of the client, were revoked. */
      jti: string | null
      clientId: string | null
      userId: string | null
    }
    'oauth2:client_registered': { clientId: string; name: string; confidential: boolean }
    'oauth2:consent_given': ConsentEvent
    'oauth2:consent_denied': ConsentEvent
    /** An OAuth endpoint refused a request. Every other endpoint's refusals are `auth:refused`. */
    'oauth2:refused': RefusedEvent
  }
}

export type OAuth2Events = Pick<EventsList, Extract<keyof EventsList, `oauth2:${string}`>>

/** Announces an event without waiting for its listeners, whose failures `start/events.ts` hears. */
export type Announce = <Name extends keyof OAuth2Events>(
  name: Name,
  event: OAuth2Events[Name]
) => void

export function tokenEvent(token: AccessTokenRecord) {
  const { jti, clientId, userId, scopes, resource } = token
  return { jti, clientId, userId, scopes, resource }
}
