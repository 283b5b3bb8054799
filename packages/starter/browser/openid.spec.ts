import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { authorizationFields, encodeForm } from '#starter/helpers/oauth'
import { SCOPE, registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

/** Where a client sends a browser to choose an account; its callback is a page of this site. */
async function selectionAddress() {
  const callback = await serverUrl('/health/live')
  const client = await registerRelyingParty({}, { redirectUris: [callback] })
  const fields = { redirect_uri: callback, scope: SCOPE, prompt: 'select_account' }
  return `/oauth/authorize?${encodeForm(authorizationFields(client, fields) as any)}`
}

/** Where a client sends a browser to sign out. */
async function logoutAddress() {
  const goodbye = await serverUrl('/login')
  const client = await registerRelyingParty({ postLogoutRedirectUris: [goodbye] })
  const fields = { client_id: client.id, post_logout_redirect_uri: goodbye, state: 'the same' }
  return { goodbye, address: `/oauth/logout?${encodeForm(fields)}` }
}

test.group('Choosing an account in a browser', () => {
  test('going on with this one leads to the consent page, and back to the client', async ({
    assert,
  }) => {
    await useOpenId()
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    const user = await UserFactory.create()
    await signInOnPage(page, user)
    await page.goto(await selectionAddress())
    await page.getByRole('button', { name: `Continue as ${user.email}` }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL('**/health/live?**')
    assert.isTrue(new URL(page.url()).searchParams.has('code'))
  })

  test('another one is asked for, and comes back to the same request', async () => {
    await useOpenId()
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto(await selectionAddress())
    await page.getByRole('button', { name: 'Use another account' }).click()
    await page.waitForURL('**/login')
    const other = await UserFactory.create()
    await page.getByLabel('E-mail address').fill(other.email)
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: `Continue as ${other.email}` }).waitFor()
  })
})

test.group('Signing out in a browser, as a client asks', () => {
  test('the person says yes, is signed out and goes to the client', async ({ assert }) => {
    await useOpenId()
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    const { address, goodbye } = await logoutAddress()
    await page.goto(address)
    await page.getByText('Relying party asks to sign you out here as well.').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${goodbye}?**`)
    assert.equal(new URL(page.url()).searchParams.get('state'), 'the same')
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
  })

  test('the person stays signed in', async () => {
    await useOpenId()
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto((await logoutAddress()).address)
    await page.getByRole('link', { name: 'Stay signed in' }).click()
    await page.goto('/account')
    await page.getByRole('heading', { level: 1 }).waitFor()
  })
})
