import type { HttpRouterService } from '@adonisjs/core/types'

import { calledByClients, oauthForm } from '#oauth2/marks'
import { oauthEndpoint } from '#oauth2/protocol_error'

const DeviceAuthorization = () => import('#oauth2/device/device_authorization_controller')
const DevicePage = () => import('#oauth2/device/device_page_controller')

/** Sign-in for devices (RFC 8628): the endpoint of devices, and the page of people. */
export function deviceRoutes(router: HttpRouterService): void {
  router.post('/oauth/device_authorization', [DeviceAuthorization, 'store']).use(calledByClients)
  router.get('/device', [DevicePage, 'show']).use(oauthEndpoint)
  router.post('/device/approve', [DevicePage, 'approve']).use(oauthForm)
  router.post('/device/deny', [DevicePage, 'deny']).use(oauthForm)
}
