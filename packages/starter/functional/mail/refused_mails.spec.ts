import { mock } from 'node:test'

import testUtils from '@adonisjs/core/services/test_utils'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { keepLog } from '#starter/helpers/log_lines'
import { afterReplies } from '#starter/helpers/passwords'
import { person as identity, signIn, useSocial } from '#starter/helpers/social'
import { Visitor, signedIn } from '#starter/helpers/visitor'
import { team, useWorkspaces, work } from '#starter/helpers/workspaces'

const newAddress = () => `${crypto.randomUUID()}@example.com`

/** What a link opens by: the last part of its path, or a part of its query. */
function secretOf(link: string): string {
  const { searchParams, pathname } = new URL(link)
  return searchParams.get('signature') ?? searchParams.get('token') ?? pathname.split('/').at(-1)!
}

const MAILS: [what: string, ask: () => Promise<unknown>][] = [
  [
    'a link that verifies an address',
    async () => {
      const password = 'a long secret of somebody'
      const account = { email: newAddress(), password, password_confirmation: password }
      await new Visitor().post('/register', { json: account })
    },
  ],
  [
    'a link for a new password',
    async () => {
      const { email } = await UserFactory.create()
      await new Visitor().post('/password/email', { json: { email } })
    },
  ],
  [
    'an invitation',
    async () => {
      const { user, visitor } = await signedIn()
      const workspace = await team(user)
      await work(visitor, workspace.id)
      const json = { email: newAddress(), role: 'member' }
      await visitor.send(`/w/${workspace.slug}/invitations`, json)
    },
  ],
]

test.group('A mail that its server refuses', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))
  group.each.setup(() => afterReplies())

  for (const [what, ask] of MAILS) {
    test(`${what} stands in no line of the log, though the server repeats it`, async ({
      assert,
      cleanup,
    }) => {
      const log = keepLog()
      const links: string[] = []
      const spy = mock.method(mail, 'send', async (sent: any) => {
        await sent.build()
        const { link } = sent.message.contentViews.text.data
        links.push(link)
        throw new Error(`550 rejected: ${link}`)
      })
      cleanup(() => spy.mock.restore())
      await ask()
      await afterReplies()
      assert.lengthOf(links, 1)
      assert.include(log(), '550 rejected: http')
      assert.notInclude(log(), secretOf(links[0]!))
    })
  }

  test('a link for an address that no provider vouches for stands in no line of the log', async ({
    assert,
  }) => {
    const log = keepLog()
    const social = await useSocial()
    const links: string[] = []
    social.mails.push = ({ link }) => {
      links.push(link!)
      throw new Error(`550 rejected: ${link}`)
    }
    await signIn(social, identity({ email_verified: false }))
    await afterReplies()
    assert.include(log(), '550 rejected: http')
    assert.notInclude(log(), secretOf(links[0]!))
  })
})
