/*
|--------------------------------------------------------------------------
| Description of the routes
|--------------------------------------------------------------------------
|
| What /openapi.json says of the application's own routes beside what the router
| knows; the kit describes those of its controllers. The files are read when the description is made, not before.
|
*/

import app from '@adonisjs/core/services/app'

import { OpenApi } from 'adonis-auth-kit/openapi'

if (app.container.hasBinding(OpenApi)) {
  const openapi = await app.container.make(OpenApi)
  openapi.describe([
    () => import('#start/openapi/routes'),
    () => import('#start/openapi/session'),
    () => import('#start/openapi/social'),
    () => import('#start/openapi/posts'),
  ])
}
