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
  emitter.on('auth:login', ({ ctx }) => {
    /* How the user proved who they are, e.g. `pwd+otp+mfa`. */
    const way = manager.feature('sessions')?.currentLogin(ctx)?.methods.join('+') || 'unknown'
    signIns.inc({ way, outcome: 'success' })
  })
  emitter.on('auth:login_failed', failed('pwd'))
  emitter.on('two_factor:failed', failed('mfa'))
  emitter.on('passkeys:refused', failed('passkey'))
  emitter.on('auth:security_event', ({ type }) => securityEvents.inc({ type }))
  emitter.on('auth:refused', (event) => metrics.refused('route', event))
  emitter.on('oauth2:refused', (event) => metrics.refused('oauth2', event))
  emitter.on('oauth2:token_issued', ({ grantType }) => tokens.inc({ grant: grantType }))
  emitter.on('oauth2:token_refreshed', () => tokens.inc({ grant: 'refresh_token' }))
  emitter.on('oauth2:reuse_detected', ({ kind }) => reuse.inc({ kind }))
  emitter.on('api_token:created', () => tokens.inc({ grant: 'api_token' }))
  emitter.on('mcp:called', called('called'))
  emitter.on('mcp:failed', called('failed'))
  emitter.on('mcp:refused', called('refused'))
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
