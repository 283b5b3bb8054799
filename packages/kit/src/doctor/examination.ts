import app from '@adonisjs/core/services/app'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import db from '@adonisjs/lucid/services/db'

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
  ok,
  readSettings,
  warning,
} from '#doctor/settings'
import { isLoopback } from '#http/loopback'
import { AuthorizationServer } from '#oauth2/authorization_server'

/** Everything that is found, in the order in which it is mended best. A check that fails is a finding. */
export async function examine({ inProduction }: { inProduction: boolean }): Promise<Finding[]> {
  const settings = await readSettings()
  const { config } = app
  const appKey = process.env.APP_KEY ?? ''
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => [judgeNode(process.version)],
    () => [judgeKey('APP_KEY', appKey, inProduction)],
    () => {
      if (!app.container.hasBinding(AuthorizationServer)) {
        return []
      }
      const hasKeySet = config.get('oauth2.keys.store', 'none') !== 'none'
      const key = config.get<{ release(): string } | string | null>('oauth2.key', null)
      const oauthKey = typeof key === 'string' ? key : (key?.release() ?? null)
      return judgeOAuthKey({ appKey, oauthKey, hasKeySet }, inProduction)
    },
    () => {
      /* The second is that of @adonisjs/session. */
      const kinds = ['session.secure', 'session.cookie.secure', 'app.http.cookie.secure']
      const secure = kinds.map((name) => config.get<boolean>(name, true))
      const isHere = app.inDev && isLoopback(new URL(settings.appUrl).hostname)
      return isHere && !inProduction
        ? [ok('cookies', 'sent to this computer alone')]
        : [judgeCookies(secure, inProduction)]
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
  const failed = ({ message }: Error) => [error('doctor', `a check has failed: ${message}`)]
  const findings = await Array.fromAsync(checks, (check) => Promise.try(check).catch(failed))
  return findings.flat()
}

/** Seconds. Tokens and sessions are judged by the clock of the process that reads them. */
const CLOCK_DIFFERENCE = 5

/** Whether the database can be reached, has every table, and goes by the same time. */
export async function examineDatabase(): Promise<Finding[]> {
  const client = db.connection()
  try {
    await client.rawQuery('SELECT 1')
  } catch (failure) {
    const { message, code } = failure as { message: string; code?: string }
    const reason = [code, message].filter(Boolean).join(', ')
    const text = `cannot be reached (${reason}): check the DB_* and SQLITE_FILE settings`
    return [error('database', text)]
  }
  return [ok('database', client.dialect.name), await examineMigrations(), await examineClock()]
}

async function examineMigrations(): Promise<Finding> {
  const migrator = new MigrationRunner(db, app, { direction: 'up', dryRun: true })
  const migrations = await migrator.getList()
  const pending = migrations.filter(({ status }) => status === 'pending').length
  return pending
    ? error('migrations', `${pending} have not run: "node ace migration:run --force"`)
    : ok('migrations', `all ${migrations.length} have run`)
}

/** The database's clock is another machine's, as a rule. */
async function examineClock(): Promise<Finding> {
  const client = db.connection()
  if (client.dialect.name !== 'postgres') {
    return ok('clock', new Date().toISOString())
  }
  const { rows } = await client.rawQuery('SELECT extract(epoch FROM clock_timestamp()) AS now')
  const difference = Math.abs(Number(rows[0].now) - Date.now() / 1000)
  const text = `differs by ${Math.round(difference)} seconds from the database's: let both machines ask a time server`
  return difference > CLOCK_DIFFERENCE
    ? warning('clock', text)
    : ok('clock', 'goes with the database')
}
