import { appName, appUrl } from '#config/app'
import { defineConfig } from 'adonis-auth-kit/passkeys/define_config'

const { hostname, origin } = new URL(appUrl)

export default defineConfig({
  /** What browsers and telephones call this application when they ask for a passkey. */
  name: appName,

  /** The host that passkeys belong to, or a domain above it. When it changes, people have to make new ones. */
  rpId: hostname,

  /** Origins of the pages that may ask for passkeys: hosts of the `rpId`, or below it. */
  origins: [origin],
})
