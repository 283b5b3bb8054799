import type { Page } from 'playwright'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import type User from '#models/user'

/** Sends the form of the sign-in page. */
export async function givePassword(page: Page, email: string) {
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(FACTORY_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs a user in by the form, and waits for the account. */
export async function signInOnPage(page: Page, { email }: User) {
  await givePassword(page, email)
  await page.waitForURL('**/account')
}
