import app from '@adonisjs/core/services/app'

import { examineDatabase } from '#doctor/database'
import { examineProxy, examineServices, proveDoctor } from '#doctor/network'
import { examineMcpClients, examineOAuth, examineOpenId, judgeOAuthKey } from '#doctor/oauth'
import {
  error,
  type Finding,
  judgeCookies,
  judgeKey,
  judgeNode,
  judgePort,
  judgeProductionSettings,
  readSettings,
} from '#doctor/settings'

/** Everything that is found, in the order in which it is mended best. A check that fails is a finding. */
export async function examine({ inProduction }: { inProduction: boolean }): Promise<Finding[]> {
  const settings = await readSettings()
  const { config } = app
  const appKey = process.env.APP_KEY ?? ''
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => [judgeNode(process.version)],
    () => [judgeKey('APP_KEY', appKey, inProduction)],
    () => {
      const hasKeySet = config.get('oauth2.keys.store', 'none') !== 'none'
      const key = config.get<{ release(): string } | string | null>('oauth2.key', null)
      const oauthKey = typeof key === 'string' ? key : (key?.release() ?? null)
      return judgeOAuthKey({ appKey, oauthKey, hasKeySet }, inProduction)
    },
    () => {
      const kinds = ['session.secure', 'app.http.cookie.secure']
      const secure = kinds.map((name) => config.get<boolean>(name, true))
      return [judgeCookies(secure, inProduction)]
    },
    () =>
      inProduction
        ? judgeProductionSettings(settings)
        : judgePort(settings.appUrl, Number(process.env.PORT)),
    examineDatabase,
    examineOpenId,
    examineOAuth,
    examineMcpClients,
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
