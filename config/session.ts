import env from '#start/env'
import { defineConfig } from '#session/define_config'

export default defineConfig({
  store: env.get('SESSION_STORE', 'database'),
  secure: env.get('SESSION_SECURE', true),
})
