/*
|--------------------------------------------------------------------------
| Description of the routes
|--------------------------------------------------------------------------
|
| What /openapi.json says of the application's routes beside what the router
| knows. The files are read when the description is made, not before.
|
*/

import app from '@adonisjs/core/services/app'

import { OpenApi } from 'adonis-auth-kit/openapi/openapi'

if (app.container.hasBinding(OpenApi)) {
  const openapi = await app.container.make(OpenApi)
  openapi.describe([
    () => import('#start/openapi/routes'),
    () => import('#start/openapi/session'),
    () => import('#start/openapi/two_factor'),
    () => import('#start/openapi/passkeys'),
    () => import('#start/openapi/social'),
    () => import('#start/openapi/security_log'),
    () => import('#start/openapi/email_verification'),
    () => import('#start/openapi/api_token'),
    () => import('#start/openapi/oauth2'),
    () => import('#start/openapi/workspaces'),
    () => import('#start/openapi/posts'),
  ])
}
