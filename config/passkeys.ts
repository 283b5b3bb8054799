import { appName, appUrl } from '#config/app'
import env from '#start/env'
import { defineConfig } from 'adonis-auth-kit/passkeys/define_config'

const { hostname, origin } = new URL(appUrl)

/** Origins of SPA mode whose pages may use passkeys of this host: browsers ask for none on other hosts. */
const apps = env
  .get('STATEFUL_ORIGINS')
  .filter((app) => `.${URL.parse(app)?.hostname}`.endsWith(`.${hostname}`))

export default defineConfig({
  /** What browsers and phones call this application when they ask for a passkey. */
  name: appName,

  /** The host that passkeys belong to, or a domain above it. When it changes, people have to make new ones. */
  rpId: hostname,

  /** Origins of the pages that may ask for passkeys: hosts of the `rpId`, or below it. */
  origins: [...new Set([origin, ...apps])],
})
