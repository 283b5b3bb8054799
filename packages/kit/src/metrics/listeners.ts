import type { Emitter } from '@adonisjs/core/events'
import type { EventsList } from '@adonisjs/core/types'
import type { Database } from '@adonisjs/lucid/database'

import type { AuthManager } from '#auth/manager'
import { PasswordHasher } from '#auth/password_hasher'
import type { Purges } from '#database/purges'
import type { Metrics } from '#metrics/metrics'

export function listen(metrics: Metrics, emitter: Emitter<EventsList>, manager: AuthManager): void {
  const { signIns, tokens, securityEvents, reuse, mcpCalls } = metrics
  const failed = (way: string) => () => signIns.inc({ way, outcome: 'failure' })
  const called =
    (outcome: string) =>
    ({ server, kind, milliseconds }: EventsList['mcp:called']) =>
      mcpCalls.observe({ server, kind: kind ?? 'none', outcome }, milliseconds / 1000)
  const listeners: { [Name in keyof EventsList]?: (event: EventsList[Name]) => void } = {
    'auth:login': ({ ctx }) => {
      /* How the user proved who they are, e.g. `pwd+otp+mfa`. */
      const way = manager.feature('sessions')?.currentLogin(ctx)?.methods.join('+') || 'unknown'
      signIns.inc({ way, outcome: 'success' })
    },
    'auth:login_failed': failed('pwd'),
    'two_factor:failed': failed('mfa'),
    'passkeys:refused': failed('passkey'),
    'auth:security_event': ({ type }) => securityEvents.inc({ type }),
    'auth:refused': (event) => metrics.refused('route', event),
    'oauth2:refused': (event) => metrics.refused('oauth2', event),
    'oauth2:token_issued': ({ grantType }) => tokens.inc({ grant: grantType }),
    'oauth2:token_refreshed': () => tokens.inc({ grant: 'refresh_token' }),
    'oauth2:reuse_detected': ({ kind }) => reuse.inc({ kind }),
    'api_token:created': () => tokens.inc({ grant: 'api_token' }),
    'mcp:called': called('called'),
    'mcp:failed': called('failed'),
    'mcp:refused': called('refused'),
  }
  Object.entries(listeners).forEach(([name, listener]) =>
    emitter.on(name as keyof EventsList, listener as (event: unknown) => void)
  )
}

export function watchPurges({ purged, lastPurges, purgeFailures }: Metrics, purges: Purges): void {
  purges.ended = (purge, deleted) => {
    if (deleted === null) {
      return purgeFailures.inc({ purge })
    }
    purged.inc({ purge }, deleted)
    lastPurges.set({ purge }, Date.now() / 1000)
  }
}

export function watchPools(metrics: Metrics, { manager }: Database): void {
  metrics.ask('db_pool_connections', 'Connections', ['connection', 'state'], () =>
    [...manager.connections.values()].flatMap(({ name, connection }): [object, number][] => {
      const pool = connection?.pool
      return pool
        ? [
            [{ connection: name, state: 'used' }, pool.numUsed()],
            [{ connection: name, state: 'free' }, pool.numFree()],
            [{ connection: name, state: 'awaited' }, pool.numPendingAcquires()],
          ]
        : []
    })
  )
}

/** Passwords that are being hashed, and those that wait for their turn. */
export function watchHashes(metrics: Metrics): void {
  metrics.ask('auth_password_hashes', 'Passwords in the queue', ['state'], () => {
    const { running = 0, waiting = 0 } = PasswordHasher.latest?.queue ?? {}
    return [
      [{ state: 'running' }, running],
      [{ state: 'waiting' }, waiting],
    ]
  })
}
