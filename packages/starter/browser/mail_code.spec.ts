import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { otherThan, useMailCodes } from '#starter/helpers/mail_code'
import { afterReplies } from '#starter/helpers/passwords'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'

test.group('Codes by mail in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`a code signs in, and confirms later, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const tick = stopClock()
      const mails = await useMailCodes()
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      const { email } = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()

      await page.goto('/login')
      await page.getByRole('button', { name: 'Mail me a code' }).click()
      await page.getByText('An e-mail address is missing').waitFor()
      await page.getByLabel('E-mail address').fill(email)
      await page.getByRole('button', { name: 'Mail me a code' }).click()
      await page.getByText('Only the newest code works').waitFor()
      await afterReplies()
      const field = page.getByLabel('Code from the mail')
      await field.fill(otherThan(mails[0]!.code))
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('This code is wrong').waitFor()
      await page.goto(mails[0]!.link)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL('**/account')

      tick(60 * 60)
      await page.goto('/account/passkeys')
      await page.getByRole('button', { name: 'Mail me a code' }).click()
      await page.getByText('Only the newest code works').waitFor()
      await afterReplies()
      await field.fill(otherThan(mails[1]!.code))
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('This code is wrong').waitFor()
      await field.fill(mails[1]!.code)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL('**/account/passkeys')
    })
  }

  test('the link in another browser says where the code belongs', async () => {
    const mails = await useMailCodes()
    const { email } = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const baseURL = await serverUrl()
    const page = await openPage({ baseURL })
    await page.goto('/login/code')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    await page.getByText('Only the newest code works').waitFor()
    await afterReplies()
    const other = await openPage({ baseURL })
    await other.goto(mails[0]!.link)
    await other.getByText('This browser did not ask for the code').waitFor()
  })
})
