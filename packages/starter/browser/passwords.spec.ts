import { test } from '@japa/runner'

import { appName } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { startMailServer } from '#starter/helpers/mail_server'
import { startServer } from '#starter/helpers/server_process'

const NEW_PASSWORD = 'quite another secret'

test.group('Forgotten passwords in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    const mode = javaScriptEnabled ? 'with' : 'without'

    test(`forgot, mail, link, new password; the old session and the old password are dead, ${mode} JavaScript`, async ({
      assert,
    }) => {
      const smtp = await startMailServer()
      const baseURL = await startServer(smtp.env)
      const user = await UserFactory.create()
      const signIn = async (target: typeof laptop, password: string) => {
        await target.getByLabel('E-mail address').fill(user.email)
        await target.getByLabel('Password').fill(password)
        await target.getByRole('button', { name: 'Sign in', exact: true }).click()
      }

      const laptop = await openPage({ baseURL, javaScriptEnabled })
      await laptop.goto('/login')
      await signIn(laptop, FACTORY_PASSWORD)
      await laptop.waitForURL('**/account')

      const phone = await openPage({ baseURL, javaScriptEnabled })
      const problems: string[] = []
      phone.on('console', (message) => {
        if (message.type() === 'error') {
          problems.push(message.text())
        }
      })
      await phone.goto('/login')
      await phone.getByRole('link', { name: 'Forgot your password?' }).click()
      await phone.waitForURL('**/password/forgot')
      await phone.getByLabel('E-mail address').fill(user.email)
      await phone.getByRole('button', { name: 'Send the link' }).click()
      await phone.getByRole('status').waitFor()
      assert.include(
        await phone.textContent('[role=status]'),
        'If that account exists, a reset link has been sent.'
      )

      const mail = await smtp.next(`Set a new password for ${appName}`)
      const link = new URL(/http\S+/.exec(mail.text!)![0])
      const token = link.searchParams.get('token')!
      const referers: string[] = []
      phone.on('request', (request) => {
        if (request.headers().referer?.includes(token)) {
          referers.push(request.url())
        }
      })
      await phone.goto(link.pathname + link.search)
      assert.equal(await phone.getByLabel('E-mail address').inputValue(), user.email)

      await phone.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
      await phone.getByLabel('New password again').fill('another one')
      await phone.getByRole('button', { name: 'Set the password' }).click()
      await phone.locator('.field-error').waitFor()

      await phone.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
      await phone.getByLabel('New password again').fill(NEW_PASSWORD)
      await phone.getByRole('button', { name: 'Set the password' }).click()
      await phone.waitForURL('**/login')
      assert.include(await phone.textContent('[role=status]'), 'Your password has been changed')
      assert.deepEqual(referers, [])

      await laptop.goto('/account')
      assert.match(laptop.url(), /\/login$/)

      await signIn(phone, FACTORY_PASSWORD)
      await phone.getByRole('alert').waitFor()
      assert.include(await phone.textContent('[role=alert]'), 'is wrong')
      await signIn(phone, NEW_PASSWORD)
      await phone.waitForURL('**/account')

      await laptop.goto(link.pathname + link.search)
      await laptop.waitForURL('**/password/forgot')
      assert.include(await laptop.textContent('[role=alert]'), 'This link does not work')

      assert.deepEqual(problems, [])
    })
  }
})
