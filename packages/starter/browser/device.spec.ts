import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { beginDevice, pollDevice, useDevices } from '#starter/helpers/device'
import { registerClient } from '#starter/helpers/oauth'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

const NAME = 'A television with a rather long name that nobody has checked'

test.group('The page for devices in a browser', () => {
  test('a wrong code is told, the right one signs the device in', async ({ assert }) => {
    await useDevices()
    const client = await registerClient({ name: NAME })
    const device = await beginDevice(client)
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/device')
    await page.getByLabel('Code').fill('bbbb bbbb')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No device waits under this code').waitFor()
    await page.getByLabel('Code').fill(device.user_code.toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'The device is signed in' }).waitFor()
    assert.equal((await pollDevice(client, device.device_code)).status, 200)
  })

  test('the page of a signed-in device can be loaded again: it says the same, and sends nothing', async ({
    assert,
  }) => {
    await useDevices()
    const device = await beginDevice(await registerClient({ name: NAME }))
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto(`/device?user_code=${device.user_code}`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    const done = page.getByRole('heading', { name: 'The device is signed in' })
    await done.waitFor()
    assert.match(await page.title(), /^The device is signed in/)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await page.reload()
    await done.waitFor()
    assert.notInclude(sent, 'POST')
  })

  test('nothing ticked is refused at the first permission, and a denied device gets nothing, without JavaScript', async ({
    assert,
  }) => {
    await useDevices()
    const client = await registerClient({ name: NAME })
    const device = await beginDevice(client)
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    await signInOnPage(page, await UserFactory.create())
    await page.goto(`/device?user_code=${device.user_code}`)
    await page.getByLabel('Read your posts').uncheck()
    await page.getByLabel('Write and change your posts').uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Tick what you allow, or deny the request.').waitFor()
    const first = page.getByLabel('Read your posts')
    assert.isTrue(await first.evaluate((field: any) => field.matches(':focus')))
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByRole('link', { name: 'See the apps that are connected' }).waitFor()
    assert.equal((await pollDevice(client, device.device_code)).body.error, 'access_denied')
  })

  test('a link with the code works without JavaScript, from the sign-in page on', async ({
    assert,
  }) => {
    await useDevices()
    const client = await registerClient({ name: NAME })
    const device = await beginDevice(client)
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    const { email } = await UserFactory.create()
    await page.goto(`/device?user_code=${device.user_code}`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByLabel('Write and change your posts').uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'The device is signed in' }).waitFor()
    assert.equal((await pollDevice(client, device.device_code)).body.scope, 'posts:read')
  })
})
