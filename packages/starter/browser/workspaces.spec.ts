import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { UserFactory } from '#database/factories/user_factory'
import WorkspaceInvitationMail from '#kit/workspaces/workspace_invitation_mail'
import { openPage } from '#starter/helpers/chromium'
import { linkOf } from '#starter/helpers/sent_links'
import { serverUrl } from '#starter/helpers/server_url'
// feature: social
import { CLIENT_SECRET } from '#starter/helpers/fake_provider'
import { records, useOrganisations } from '#starter/helpers/organisations'
// /feature
import { signInOnPage } from '#starter/helpers/sign_in_page'

const press = (page: Page, name: string) =>
  page
    .getByRole('main')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name, exact: true })
    .click()

const says = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor()

test.group('A workspace in a browser', () => {
  test('is made, shared, handed over, left, deleted and restored', async ({ assert }) => {
    const baseURL = await serverUrl()
    const [ann, bob] = await UserFactory.createMany(2)
    const [anns, bobs] = [await openPage({ baseURL }), await openPage({ baseURL })]
    await signInOnPage(anns, ann!)
    await signInOnPage(bobs, bob!)

    await anns.goto('/workspaces')
    await anns.getByLabel('Name').fill('Team')
    await press(anns, 'Create')
    await anns.getByRole('heading', { name: 'Team' }).waitFor()
    const home = anns.url()

    const address = anns.getByRole('textbox', { name: 'E-mail address' })
    await address.fill('other@example.com')
    await press(anns, 'Invite')
    await says(anns, 'The invitation is on its way.')
    await press(anns, 'Revoke the invitation for other@example.com')
    await press(anns, 'Revoke the invitation')
    await says(anns, 'The invitation is revoked.')
    await address.fill(bob!.email)
    const link = await linkOf(WorkspaceInvitationMail, async () => {
      await press(anns, 'Invite')
      await says(anns, 'The invitation is on its way.')
    })

    await bobs.goto(link)
    await press(bobs, 'Join')
    await says(bobs, 'You are a member now.')
    assert.equal(await bobs.getByRole('button', { name: 'Invite' }).count(), 0)

    await anns.goto(home)
    await anns.getByLabel('Name').fill('The team')
    await press(anns, 'Rename')
    await says(anns, 'The workspace has a new name.')
    const row = anns.getByRole('listitem').filter({ hasText: bob!.email })
    await row.getByRole('combobox').selectOption('admin')
    await row.getByRole('button', { name: /^Change the role/ }).click()
    await says(anns, 'The role is changed.')
    await press(anns, 'Transfer')
    await says(anns, 'The workspace has a new owner.')
    await press(anns, 'Leave this workspace')
    await press(anns, 'Leave the workspace')
    await says(anns, 'You have left the workspace.')

    await bobs.goto(home)
    await press(bobs, 'Delete this workspace')
    await press(bobs, 'Delete the workspace')
    await says(bobs, 'The workspace is deleted.')
    await press(bobs, 'Restore')
    await says(bobs, 'The workspace is back.')
    await press(bobs, 'Work here')
    await bobs.getByText('You work here').waitFor()
    await bobs.getByRole('link', { name: 'Open' }).click()
    await bobs.getByRole('link', { name: 'Log', exact: true }).click()
    await bobs.getByText('Joined a workspace').waitFor()
  }).timeout(240_000)

  for (const [path, heading] of [
    ['/login', 'Sign in'],
    ['/register', 'Create an account'],
  ] as const) {
    test(`${path} says that an invitation has led there, and only then`, async ({ assert }) => {
      const page = await openPage({ baseURL: await serverUrl() })
      const reason = page.getByText('to accept your invitation')
      await page.goto(path)
      assert.equal(await reason.count(), 0)
      await page.goto('/account')
      await page.goto(path)
      assert.equal(await reason.count(), 0)
      await page.goto('/invitations/of-somebody')
      await page.goto(path)
      await page.getByRole('heading', { name: heading }).waitFor()
      await reason.waitFor()
    })
  }

  // feature: social
  test('gets an identity provider of its own', async () => {
    const baseURL = await serverUrl()
    const { provider, domain, organisations } = await useOrganisations()
    const page = await openPage({ baseURL })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/workspaces')
    await page.getByLabel('Name').fill('Team')
    await press(page, 'Create')
    await page.getByRole('link', { name: 'Sign-in through your own provider' }).click()
    await page.getByLabel('Domain').fill(domain)
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client ID').fill(provider.clientId)
    await page.getByLabel('Client secret').fill(CLIENT_SECRET)
    await press(page, 'Add')
    await says(page, 'The provider is added.')
    await press(page, 'Verify the domain')
    await page.getByText('The TXT record was not found').waitFor()
    const [row] = await organisations.list('all')
    const record = organisations.recordOf(row!)
    records.set(record.name, [record.value])
    await press(page, 'Verify the domain')
    await says(page, 'The domain is verified.')
    await press(page, 'Forbid passwords')
    await says(page, 'only through their provider')
    await press(page, 'Allow passwords')
    await says(page, 'may use passwords again')
    await press(page, `Remove ${domain}`)
    await press(page, 'Remove the provider')
    await says(page, 'The provider is removed')
  }).timeout(120_000)
  // /feature
})
