import app from '@adonisjs/core/services/app'

import { defineConfig } from 'adonis-auth-kit/openapi/define_config'
import env from '#start/env'

/** The description of the HTTP interface: docs/openapi.md. */
export default defineConfig({
  /** Whether /openapi.json answers. Outside production it does, unless the variable says otherwise. */
  served: env.get('OPENAPI_SERVED', !app.inProduction),

  /** The version of the interface. */
  version: '1.0.0',
})
