import { test } from '@japa/runner'

import { COMMON_ID, defineConfig } from '#kit/workspaces/define_config'
import {
  InvitationNotFound,
  LastOwner,
  PersonalWorkspace,
  RoleRefused,
  WorkspaceNotFound,
} from '#kit/workspaces/errors'
import { providerValidator, workspaceValidator } from '#kit/workspaces/validators'

test.group('Workspaces', () => {
  test('{code} has the status {status}')
    .with([
      { Class: WorkspaceNotFound, status: 404, code: 'E_WORKSPACE_NOT_FOUND' },
      { Class: LastOwner, status: 409, code: 'E_LAST_OWNER' },
      { Class: PersonalWorkspace, status: 409, code: 'E_PERSONAL_WORKSPACE' },
      { Class: RoleRefused, status: 403, code: 'E_ROLE' },
      { Class: InvitationNotFound, status: 404, code: 'E_INVITATION_NOT_FOUND' },
    ])
    .run(({ assert }, { Class, status, code }) => {
      const error = new Class()
      assert.deepEqual([error.status, error.code], [status, code])
    })

  test('the common workspace has an id that no row has', ({ assert }) => {
    assert.equal(COMMON_ID, 0)
  })

  test(
    'a role whose abilities are no list is refused at start: a text would have all that it contains'
  )
    .with(['posts:write', null, { 'posts:write': true }])
    .run(({ assert }, abilities) => {
      const roles: any = { member: [], writer: abilities }
      assert.throws(
        () => defineConfig({ roles }),
        /each of the "roles" must be a list of abilities/
      )
    })

  test('a name has one to 80 characters of one line', async ({ assert }) => {
    const isTaken = async (name: string) => !(await workspaceValidator.tryValidate({ name }))[0]
    assert.isTrue(await isTaken('x'.repeat(80)))
    for (const name of ['', ' ', 'x'.repeat(81), 'a\nb', 'a\u2028b', 'a\u202eb']) {
      assert.isFalse(await isTaken(name))
    }
  })

  test('a name can be seen: characters without a shape may join others and are none alone', async ({
    assert,
  }) => {
    const isTaken = async (name: string) => !(await workspaceValidator.tryValidate({ name }))[0]
    for (const name of ['\u200b', '\u2060 \u200d', '\u3164', '\u2800', '\ufe0f']) {
      assert.isFalse(await isTaken(name))
    }
    for (const name of ['👩‍👧 Family', '👩‍👧', 'ক্‍ষ', '!']) {
      assert.isTrue(await isTaken(name))
    }
  })

  test('a name covers no other line: marks of a script are taken, a pile of them is not', async ({
    assert,
  }) => {
    const isTaken = async (name: string) => !(await workspaceValidator.tryValidate({ name }))[0]
    assert.isFalse(await isTaken(`Team ${'\u0335\u0300\u0317'.repeat(3)}`))
    /* Browsers do not show the joiner, and pile the marks on. */
    for (const joiner of ['\u200d', '\u2060', '\u200b', '\u00ad']) {
      assert.isFalse(await isTaken(`a${`${'\u0301'.repeat(8)}${joiner}`.repeat(5)}`))
    }
    for (const name of [
      'Vi\u0065\u0323\u0302t',
      '\u0f66\u0f92\u0fb2\u0f71\u0f7c\u0f7e',
      'क्ष्म्य',
      'می‌خواهم',
      '👩🏽‍❤️‍💋‍👨🏾🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    ]) {
      assert.isTrue(await isTaken(name))
    }
  })

  test('what is typed about a provider fits its column, to the character')
    .with([
      { field: 'domain', most: 253 },
      { field: 'issuer', most: 255 },
      { field: 'client_id', most: 255 },
      { field: 'client_secret', most: 1000 },
    ])
    .run(async ({ assert }, { field, most }) => {
      const provider = { domain: 'a.b', issuer: 'x', client_id: 'x', client_secret: 'x' }
      const problems = async (value: string) => {
        const [error] = await providerValidator.tryValidate({ ...provider, [field]: value })
        return error?.messages.map((one: { field: string }) => one.field) ?? []
      }
      assert.isEmpty(await problems('x'.repeat(most)))
      for (const value of ['', 'x'.repeat(most + 1), 'a\0b']) {
        assert.deepEqual(await problems(value), [field])
      }
    })
})
