import { appName } from '#config/app'
import { defineConfig } from 'adonis-auth-kit/two_factor/define_config'

export default defineConfig({
  /** What authenticator apps call this application beside the codes. Without a colon. */
  issuer: appName,
})
