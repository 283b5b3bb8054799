import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { DEVICE_CODE } from '#kit/oauth2/settings'
import { obtainDeviceTokens } from '#starter/helpers/device'
import { isolate } from '#starter/helpers/oauth'
import { SCOPE, parties } from '#starter/helpers/openid'

test.group('ID tokens of devices (RFC 8628, OpenID Connect Core 1.0 §2)', (group) => {
  group.each.setup(isolate)

  test('say how the person signed in who approved, and no session: the device has its own', async ({
    assert,
  }) => {
    const { user, visitor, client } = await parties({ grantTypes: [DEVICE_CODE, 'refresh_token'] })
    const tokens = (await obtainDeviceTokens(visitor, client, { scope: SCOPE })) as any
    const claims = decodeJwt(tokens.id_token)
    assert.equal(claims.sub, String(user.id))
    assert.equal(claims.aud, client.id)
    assert.deepEqual(claims.amr, ['pwd'])
    assert.isNumber(claims.auth_time)
    assert.notProperty(claims, 'sid')
  })
})
