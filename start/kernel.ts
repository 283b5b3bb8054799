/*
|--------------------------------------------------------------------------
| HTTP kernel file
|--------------------------------------------------------------------------
*/

import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

import { together } from 'adonis-auth-kit/http'

server.errorHandler(() => import('#exceptions/handler'))

/** Runs on every request, even when no route matches. */
server.use([
  together(
    () => import('#middleware/container_bindings_middleware'),
    () => import('adonis-auth-kit/http/middleware/access_log_middleware'),
    () => import('adonis-auth-kit/http/middleware/security_headers_middleware'),
    () => import('adonis-auth-kit/http/middleware/static_files_middleware'),
    () => import('adonis-auth-kit/http/middleware/vary_origin_middleware'),
    () => import('adonis-auth-kit/http/middleware/route_cors_middleware'),
    () => import('@adonisjs/cors/cors_middleware')
  ),
])

/** Runs on every request that a route matches. */
router.use([
  together(
    () => import('adonis-auth-kit/http/middleware/body_middleware'),
    /* After the body, because a session may end while a slow body arrives. */
    () => import('adonis-auth-kit/session/middleware/session_middleware')
  ),
  together(
    () => import('adonis-auth-kit/http/middleware/body_complaint_middleware'),
    () => import('adonis-auth-kit/session/middleware/csrf_middleware'),
    /* The last, next to the routes: a resource becomes a document before the others go on. */
    () => import('adonis-auth-kit/json_api/middleware/json_api_resources_middleware')
  ),
])

/** Middleware that routes name. `abilities` is `scopes` under the word of API tokens. */
export const middleware = router.named({
  auth: () => import('adonis-auth-kit/auth/middleware/auth_middleware'),
  verified: () => import('adonis-auth-kit/email_verification/middleware/verified_middleware'),
  confirmed: () => import('adonis-auth-kit/session/middleware/confirmed_middleware'),
  sure: () => import('adonis-auth-kit/http/middleware/sure_middleware'),
  workspace: () => import('adonis-auth-kit/workspaces/middleware/workspace_middleware'),
  guest: () => import('adonis-auth-kit/auth/middleware/guest_middleware'),
  optionalAuth: () => import('adonis-auth-kit/auth/middleware/optional_auth_middleware'),
  scopes: () => import('adonis-auth-kit/auth/middleware/scopes_middleware'),
  abilities: () => import('adonis-auth-kit/auth/middleware/scopes_middleware'),
  jsonApi: () => import('adonis-auth-kit/json_api/middleware/json_api_middleware'),
  files: () => import('adonis-auth-kit/http/middleware/files_middleware'),
})
