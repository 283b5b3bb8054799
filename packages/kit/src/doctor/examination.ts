import app from '@adonisjs/core/services/app'

import { readSettings } from '#doctor/production'

import { proveDoctor } from '#doctor/arrival'
import { examineDatabase } from '#doctor/database'
import { type Finding, error } from '#doctor/finding'
import { examineOAuth, judgeOAuthKey } from '#doctor/keys'
import { examineMcpClients } from '#doctor/mcp_clients'
import { examineProxy, examineServices } from '#doctor/network'
import { examineOpenId } from '#doctor/openid'
import {
  judgeCookies,
  judgeKey,
  judgeNode,
  judgePort,
  judgeProductionSettings,
} from '#doctor/settings'

type Secret = { release(): string } | string | null | undefined

/** Everything that is found, in the order in which it is mended best. A check that fails is a finding. */
export async function examine({ inProduction }: { inProduction: boolean }): Promise<Finding[]> {
  const settings = await readSettings()
  const { config } = app
  const appKey = process.env.APP_KEY ?? ''
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => [judgeNode(process.version)],
    () => [judgeKey('APP_KEY', appKey, inProduction)],
    () =>
      judgeOAuthKey(
        {
          appKey,
          oauthKey: reveal(config.get('oauth2.key')),
          hasKeySet: config.get('oauth2.keys.store', 'none') !== 'none',
        },
        inProduction
      ),
    () => [
      judgeCookies(
        [config.get('session.secure', true), config.get('app.http.cookie.secure', true)],
        inProduction
      ),
    ],
    () =>
      inProduction
        ? judgeProductionSettings(settings)
        : judgePort(settings.appUrl, Number(process.env.PORT)),
    () => examineDatabase(),
    () => examineOpenId(),
    () => examineOAuth(),
    () => examineMcpClients(),
    () => examineServices(settings),
    async () => (inProduction ? [await examineProxy(settings.appUrl, proveDoctor())] : []),
  ]
  const findings: Finding[] = []
  for (const check of checks) {
    try {
      findings.push(...(await check()))
    } catch (failure) {
      findings.push(error('doctor', `a check has failed: ${(failure as Error).message}`))
    }
  }
  return findings
}

function reveal(secret: Secret): string | null {
  return typeof secret === 'object' ? (secret?.release() ?? null) : (secret ?? null)
}
