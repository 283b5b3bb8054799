import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { openPage } from '#starter/helpers/chromium'
import { isolate } from '#starter/helpers/oauth'
import { type Person, STEPS, type Step } from '#starter/helpers/forms'
import { limit } from '#starter/helpers/limits'
import { UserFactory } from '#database/factories/user_factory'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

/** Fills a form in and sends it with the keyboard alone. */
async function take(step: Step, person: Person) {
  const { page } = person
  if (step.at) {
    await page.goto(typeof step.at === 'string' ? step.at : await step.at(person))
  }
  await step.meanwhile?.(person)
  const typed = typeof step.type === 'function' ? step.type(person) : (step.type ?? {})
  for (const [label, text] of Object.entries(typed)) {
    await page.getByLabel(label, { exact: true }).press('ControlOrMeta+A')
    await page.keyboard.type(text)
  }
  if (step.tick) {
    await page.getByLabel(step.tick).press('Space')
  }
  await page.getByRole('button', { name: step.press, exact: true }).press('Enter')
  if (step.sure) {
    await page.getByRole('button', { name: step.sure, exact: true }).press('Enter')
  }
  await page.getByText(step.says).waitFor()
}

/** What the browser complains of from now on. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(message.text())
    }
  })
  return complaints
}

test.group('Every form in a browser', (group) => {
  group.each.setup(isolate)

  for (const javaScriptEnabled of [true, false]) {
    test(`is refused with a reason and taken, with the keyboard alone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      const complaints = complaintsOf(page)
      const person = { page, email: `${crypto.randomUUID()}@example.com` }
      for (const step of STEPS) {
        await take(step, person)
      }
      assert.deepEqual(complaints, [])
    }).timeout(120_000)
  }

  test('one that is sent too often says to wait', async () => {
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    const person = { page, email: '' }
    const step = { form: '/email/verify', at: '/email/verify', press: 'Send the link again' }
    await take({ ...step, says: 'Another link has been sent.' }, person)
    await take({ ...step, says: 'Too many attempts' }, person)
  })

  test('one whose session has ended says that it has expired', async () => {
    /* With JavaScript, the forms of a guest take the token of the session that the browser has. */
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    await page.goto('/login')
    await page.evaluate(`document.querySelector('input[name=_token]').value = 'stale'`)
    await page.getByLabel('E-mail address').fill('a@example.com')
    await page.getByLabel('Password').fill('whatever')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'This form has expired' }).waitFor()
    await page.getByRole('link', { name: 'Go to the start page' }).waitFor()
  })
})
