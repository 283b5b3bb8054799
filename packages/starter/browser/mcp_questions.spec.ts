import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { book, pageOf } from '#starter/helpers/fixtures/mcp/asks_on_page'
import { serverUrl } from '#starter/helpers/server_url'

test.group('Questions of tools in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`the link leads over the sign-in to the question, which is answered from the first refused field on, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const { id, email } = await UserFactory.create()
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      await page.goto(pageOf(await book(id)))
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(FACTORY_PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('Book the trip for 10 €?').waitFor()
      await page.getByLabel('Your name').fill('Ann')
      await page.getByLabel('lunch').check()
      await page.getByLabel('dinner').check()
      await page.getByRole('button', { name: 'Send the answer' }).click()
      await page.getByText('Choose at most 1.').waitFor()
      assert.equal(await page.getByLabel('Your name').inputValue(), 'Ann')
      const first = page.getByLabel('lunch')
      assert.isTrue(await first.evaluate((field: any) => field.matches(':focus')))
      await first.uncheck()
      await page.getByRole('button', { name: 'Send the answer' }).click()
      await page.getByText('Go back to your AI client').waitFor()
      const { result } = await book(id)
      assert.deepEqual(JSON.parse(result.content[0].text).content, {
        name: 'Ann',
        seats: 2,
        insured: true,
        class: 'second',
        meals: ['dinner'],
      })
    })
  }
})
