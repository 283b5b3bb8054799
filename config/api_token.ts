import env from '#start/env'
import { defineConfig } from '#api_token/define_config'

export default defineConfig({
  store: env.get('API_TOKEN_STORE', 'database'),
  statefulOrigins: env.get('STATEFUL_ORIGINS'),
})
