import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { appName } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { addAuthenticator, addPasskey } from '#starter/helpers/authenticator'
import { openPage } from '#starter/helpers/chromium'
import { usePasskeys } from '#starter/helpers/passkeys'
import { serverUrl } from '#starter/helpers/server_url'
import { givePassword, signInOnPage } from '#starter/helpers/sign_in_page'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn, wrongCodeOf } from '#starter/helpers/two_factor'

async function signOut(page: Page) {
  await page.locator('.menu summary').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
}

test.group('The second factor in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`set up, sign in with a code and a recovery code, and turn off, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const tick = stopClock()
      const { origin } = await usePasskeys()
      const page = await openPage({ baseURL: origin, javaScriptEnabled })
      const user = await UserFactory.create()
      await givePassword(page, user.email)
      await page
        .getByRole('navigation', { name: 'Account' })
        .getByText('Two-factor authentication')
        .click()
      await page.getByRole('button', { name: 'Set it up' }).click()
      const secret = (await page.locator('#totp-secret').textContent())!

      await page.getByLabel('Code', { exact: true }).fill(wrongCodeOf(secret))
      await page.getByRole('button', { name: 'Turn it on' }).click()
      await page.getByText('This code is wrong').waitFor()
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
      await page.getByRole('button', { name: 'Turn it on' }).click()
      const recoveryCodes = (await page.locator('#recovery-codes').textContent())!.split('\n')
      assert.lengthOf(recoveryCodes, 10)
      await page.getByRole('link', { name: 'I have kept them' }).click()
      await page.getByText('You have 10 recovery codes left.').waitFor()
      await signOut(page)

      tick(30)
      await givePassword(page, user.email)
      await page.waitForURL('**/login/two-factor')
      await page.getByLabel('Code', { exact: true }).fill(wrongCodeOf(secret))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('This code is wrong').waitFor()
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/account')
      await signOut(page)

      await givePassword(page, user.email)
      await page.getByText('I cannot use my app').click()
      await page.getByLabel('Recovery code').fill('not one of them')
      await page.getByRole('button', { name: 'Sign in with a recovery code' }).click()
      await page.getByText('This code is wrong').waitFor()
      await page.getByLabel('Recovery code').fill(recoveryCodes[0]!)
      await page.getByRole('button', { name: 'Sign in with a recovery code' }).click()
      await page.waitForURL('**/account')

      await page.goto('/account/two-factor')
      await page.getByText('You have 9 recovery codes left.').waitFor()
      tick(900)
      await page.getByRole('button', { name: 'Turn it off' }).click()
      if (javaScriptEnabled) {
        await page.getByRole('button', { name: 'Turn it off now' }).click()
      }
      await page.waitForURL('**/confirm')
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Confirm', exact: true }).click()
      await page.getByText('This is not your password').waitFor()
      await page.getByLabel('Password').fill(FACTORY_PASSWORD)
      await page.getByRole('button', { name: 'Confirm', exact: true }).click()
      await page.waitForURL('**/account/two-factor')
      await page.getByRole('button', { name: 'Turn it off' }).click()
      await page.getByRole('button', { name: 'Turn it off now' }).click()
      await page.getByText('Your password alone signs you in').waitFor()
    })
  }

  test('the QR code stays dark on light in a dark theme of high contrast', async ({ assert }) => {
    const contrast = { forcedColors: 'active', colorScheme: 'dark' } as const
    const page = await openPage({ baseURL: await serverUrl(), ...contrast })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/account/two-factor')
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.locator('.qr-code').waitFor()
    const [behind, ink] = await page.evaluate<[string, string]>(
      `[
        getComputedStyle(document.querySelector('.qr-code')).backgroundColor,
        getComputedStyle(document.querySelector('.qr-code path')).fill,
      ]`
    )
    assert.deepEqual([behind, ink], ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
    assert.equal(
      await page.evaluate('getComputedStyle(document.body).backgroundColor'),
      'rgb(0, 0, 0)'
    )
  })

  test('recovery codes are printed a line each, with the name of the site, without the buttons', async ({
    assert,
  }) => {
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    await givePassword(page, (await UserFactory.create()).email)
    await page.goto('/account/two-factor')
    await page.getByRole('button', { name: 'Set it up' }).click()
    const secret = (await page.locator('#totp-secret').textContent())!
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
    await page.getByRole('button', { name: 'Turn it on' }).click()
    const codes = page.locator('#recovery-codes')
    const heightOnScreen = (await codes.boundingBox())!.height
    await page.emulateMedia({ media: 'print' })
    assert.equal((await codes.boundingBox())!.height, heightOnScreen)
    assert.equal(await page.getByRole('main').getByRole('link').count(), 0)
    assert.equal(await page.getByRole('main').getByRole('button').count(), 0)
    assert.equal((await page.getByRole('banner').innerText()).trim(), appName)
  })

  test('the keyboard alone signs in with a recovery code', async () => {
    stopClock()
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    const user = await UserFactory.create()
    const { recoveryCodes } = await turnOn(user)
    await givePassword(page, user.email)
    await page.waitForURL('**/login/two-factor')
    await page.getByLabel('Code', { exact: true }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type(recoveryCodes[0]!)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account')
  })
})

test.group('Passkeys in a browser', () => {
  test('several are added and named, one signs in, and one is removed', async ({ assert }) => {
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') {
        problems.push(message.text())
      }
    })
    /* A browser that offers passkeys on request alone. */
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = undefined')
    await addAuthenticator(page)
    const user = await UserFactory.create()
    await givePassword(page, user.email)
    await addPasskey(page, 'My laptop')

    /* The device that has one already is not asked for another. */
    await page.locator('#name').fill('Again')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('already has a passkey for your account').waitFor()
    assert.equal(await page.getByText('The passkey has been added.').count(), 0)

    await page.getByText('Rename').first().click()
    await page.getByLabel('Name').first().fill('My old laptop')
    await page.getByRole('button', { name: 'Rename My laptop' }).click()
    await page.getByText('The passkey has a new name.').waitFor()
    await signOut(page)

    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/account')
    assert.include(await page.textContent('main'), user.email)

    await page.goto('/account/passkeys')
    await page.getByText('last used').waitFor()
    await page.getByRole('button', { name: 'Remove My old laptop' }).click()
    await page.getByRole('button', { name: 'Remove the passkey' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey is not known here').waitFor()
    assert.deepEqual(problems, [])
  })

  test('the field for the e-mail address offers a passkey where the browser can', async () => {
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    await addAuthenticator(page)
    const user = await UserFactory.create()
    await givePassword(page, user.email)
    await addPasskey(page, 'My laptop')
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await page.waitForURL('**/account')
  })

  test('one takes the step after the password, and confirms', async () => {
    const tick = stopClock()
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    const person = await addAuthenticator(page)
    const user = await UserFactory.create()
    await givePassword(page, user.email)
    await addPasskey(page, 'My laptop')
    await turnOn(user)
    tick(900)
    await page.goto('/account/passkeys')
    await page.waitForURL('**/confirm')
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.waitForURL('**/account/passkeys')

    await person.leave()
    await signOut(page)
    await givePassword(page, user.email)
    await page.waitForURL('**/login/two-factor')
    await person.comeBack()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/account')
  })

  test('one changes the address and deletes the account, without a password', async ({
    assert,
  }) => {
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin })
    await addAuthenticator(page)
    const user = await UserFactory.create()
    await givePassword(page, user.email)
    await addPasskey(page, 'My laptop')

    const withPasskey = page.getByRole('button', { name: 'Change the address with a passkey' })
    await page.goto('/account/email')
    await withPasskey.click()
    await page.getByText('An e-mail address is missing').waitFor()
    await page.getByLabel('New e-mail address').fill('another@example.com')
    await withPasskey.click()
    await page.getByText('We have sent a link to another@example.com. Open it').waitFor()
    await user.refresh()
    assert.equal(user.proposedEmail, 'another@example.com')

    await page.goto('/account/delete')
    await page.getByRole('button', { name: 'Delete my account with a passkey' }).click()
    await page.getByText('Your account has been deleted').waitFor()
  })

  test('without JavaScript nothing offers them, and the page says why', async ({ assert }) => {
    const { origin } = await usePasskeys()
    const page = await openPage({ baseURL: origin, javaScriptEnabled: false })
    const user = await UserFactory.create()
    await page.goto('/login')
    assert.isFalse(await page.getByRole('button', { name: 'passkey' }).isVisible())
    await givePassword(page, user.email)
    await page.goto('/account/passkeys')
    await page.getByText('Passkeys need JavaScript').waitFor()
    assert.isFalse(await page.getByRole('button', { name: 'Add a passkey' }).isVisible())
  })
})
