import { test } from '@japa/runner'

import { openPage } from '#starter/helpers/chromium'
import { foreignRequests } from '#starter/helpers/page_findings'
import { serverUrl } from '#starter/helpers/server_url'

test.group('The page of the description', () => {
  test('shows the routes under our policy, and asks no other host', async ({ assert }) => {
    const baseURL = await serverUrl()
    const page = await openPage({ baseURL })
    const foreign = foreignRequests(page, baseURL)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') {
        complaints.push(message.text())
      }
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto('/openapi')
    await page.getByRole('heading', { name: 'OAuth' }).waitFor()
    const operation = page.locator('#operations-OAuth-postOauthAuthorize')
    await operation.getByRole('button').first().click()
    await operation.getByText('Request body', { exact: true }).waitFor()
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })
})
