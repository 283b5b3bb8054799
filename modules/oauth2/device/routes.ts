import type { HttpRouterService } from '@adonisjs/core/types'

import { ENDPOINT_CORS } from '#oauth2/cors'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { clientEndpoint, csrfExempt, smallBody } from '#support/route_marks'

const DeviceAuthorization = () => import('#oauth2/device/device_authorization_controller')
const DevicePage = () => import('#oauth2/device/device_page_controller')

/** Sign-in for devices (RFC 8628): the endpoint of devices, and the page of people. */
export function deviceRoutes(router: HttpRouterService): void {
  router
    .post('/oauth/device_authorization', [DeviceAuthorization, 'store'])
    .use([oauthEndpoint, clientEndpoint, smallBody, csrfExempt, ENDPOINT_CORS])
  router.get('/device', [DevicePage, 'show']).use(oauthEndpoint)
  router.post('/device/approve', [DevicePage, 'approve']).use([oauthEndpoint, smallBody])
  router.post('/device/deny', [DevicePage, 'deny']).use([oauthEndpoint, smallBody])
}
