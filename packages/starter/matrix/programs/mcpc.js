import { bin, run } from './command.js'

/** mcpc, whose session is a process that goes on. */
export async function start({ url, clientId, isDocument, folder, allow, env }) {
  const mcpc = (...args) =>
    run([bin('mcpc'), '--json', ...args], { allow, env: { ...env, MCPC_HOME_DIR: folder } })
  const identity = clientId ? [isDocument ? '--client-metadata-url' : '--client-id', clientId] : []
  const stop = () => mcpc('close', '@blog').catch(() => {})
  return {
    async signIn() {
      await mcpc('login', url, ...identity)
      await stop()
      await mcpc('connect', url, '@blog')
    },
    call: (name, args) => mcpc('@blog', 'tools-call', name, JSON.stringify(args)),
    stop,
  }
}
