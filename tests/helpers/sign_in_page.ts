import type { Page } from 'playwright'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import type User from '#models/user'

/** Signs a user in by the form, and waits for the account. */
export async function signInOnPage(page: Page, { email }: User) {
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(FACTORY_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
}
