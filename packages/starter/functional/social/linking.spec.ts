import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import { socialAccounts } from '#services/social_accounts'
import { ApiToken } from '#kit/api_token/facade'
import { insertPasskey } from '#kit/passkeys/database'
import { limit } from '#starter/helpers/limits'
import { afterReplies, authManager, endSessionsOfRequests } from '#starter/helpers/passwords'
import { eventsSeenBy, typesSeenBy } from '#starter/helpers/security_events'
import type { Person } from '#starter/helpers/fake_provider'
import {
  PAGE,
  type SocialSetUp,
  accountOf,
  begin,
  identitiesOf,
  pathOf,
  person,
  refusedReasons,
  signIn,
  useSocial,
} from '#starter/helpers/social'
import { useMailCodes } from '#starter/helpers/mail_code'
import { wrapForTest } from '#starter/helpers/replace'
import { recordStatements } from '#starter/helpers/statements'
import { travel } from '#starter/helpers/time'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const METHODS = '/account/sign-in-methods'

const loginPageOf = async (visitor: Visitor) =>
  (await visitor.get('/login', { headers: PAGE })).text()

type Local = 'none' | 'verified' | 'unverified' | 'verified with other identities'

const SAYS = { verified: true, unverified: false, nothing: undefined }
const LOCAL: Local[] = ['none', 'verified', 'unverified', 'verified with other identities']

/** What becomes of an identity of somebody who has nothing but it. */
function expectedOf(says: string, isTrusted: boolean, local: Local) {
  if (says !== 'verified' || !isTrusted) {
    return { answer: { verify_address: true }, signedIn: false }
  }
  return {
    'none': { answer: null, signedIn: true },
    'verified': { answer: { sign_in_required: true }, signedIn: false },
    'unverified': { answer: null, signedIn: true },
    'verified with other identities': { answer: { sign_in_required: true }, signedIn: false },
  }[local]
}

async function prepare(social: SocialSetUp, local: Local, email: string): Promise<User | null> {
  if (local === 'none') {
    return null
  }
  if (local === 'verified with other identities') {
    const { answer } = await signIn(social, person())
    const user = await User.findOrFail(answer.user.id)
    await user.merge({ email }).save()
    return user
  }
  return (await accountOf(email, { verified: local === 'verified' })).user
}

test.group('Rule for linking: 24 cases, no takeover', () => {
  for (const [says, emailVerified] of Object.entries(SAYS)) {
    for (const isTrusted of [true, false]) {
      for (const local of LOCAL) {
        const { answer: expected, signedIn } = expectedOf(says, isTrusted, local)
        const title = `says "${says}", ${isTrusted ? 'trusted' : 'not trusted'}, local account ${local}`
        test(`nobody gets somebody else's account: ${title}`, async ({ assert }) => {
          const social = await useSocial()
          const domain = isTrusted ? 'example.com' : 'elsewhere.example'
          const email = `${person().sub}@${domain}`
          const owner = await prepare(social, local, email)
          const before = owner ? await identitiesOf(owner) : []

          const stranger = person({ email, email_verified: emailVerified })
          const { answer, visitor } = await signIn(social, stranger)

          assert.equal(await isSignedIn(visitor), signedIn)
          if (expected) {
            const given = typeof expected === 'string' ? answer.error : answer
            assert.deepEqual(given, expected)
          }
          /* Nobody got the account of somebody else, nor an identity in it. */
          const users = await User.query().where({ email })
          assert.lengthOf(users, signedIn || owner ? 1 : 0)
          if (owner) {
            assert.equal(users[0]!.id, owner.id)
            assert.lengthOf(await identitiesOf(owner), before.length + (signedIn ? 1 : 0))
          }
          /* Not the second time either. */
          const again = await signIn(social, stranger)
          assert.equal(await isSignedIn(again.visitor), signedIn)
        })
      }
    }
  }
})

test.group('Joining a verified account', () => {
  async function waiting() {
    const social = await useSocial()
    const ann = person()
    const { user } = await accountOf(String(ann.email))
    const { visitor, answer } = await signIn(social, ann)
    return { social, ann, user, visitor, answer }
  }

  test('its owner signs in in the same browser, says yes, and has the identity', async ({
    assert,
  }) => {
    const { social, ann, user, visitor, answer } = await waiting()
    assert.deepEqual(answer, { sign_in_required: true })
    await visitor.login(user.email, FACTORY_PASSWORD)
    assert.lengthOf(await identitiesOf(user), 0)
    const page = await (await visitor.get(`${METHODS}/join`, { headers: PAGE })).text()
    assert.include(page, 'Connect Fake to your account?')
    const joined = await visitor.send(`${METHODS}/join`)
    assert.deepEqual(await joined.json(), { status: 'linked' })
    assert.include(await typesSeenBy(visitor), 'identity_linked')
    const again = await visitor.get(`${METHODS}/join`, { headers: PAGE })
    assert.equal(again.headers.get('location'), METHODS)

    const later = await signIn(social, ann)
    assert.equal(later.answer.user.id, user.id)
  })

  test('an account whose address is verified at that moment is not taken over', async ({
    assert,
  }) => {
    const social = await useSocial()
    const ann = person()
    const { user } = await accountOf(String(ann.email), { verified: false })
    wrapForTest(socialAccounts, 'find', (find) => async (email) => {
      const found = await find(email)
      await User.query().where('id', user.id).update({ emailVerifiedAt: Date.now() })
      return found
    })
    const { visitor, answer } = await signIn(social, ann)
    assert.deepEqual(answer, { sign_in_required: true })
    assert.isFalse(await isSignedIn(visitor))
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('people in a browser are led there', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    await accountOf(String(ann.email))
    const { visitor, response } = await signIn(social, ann, { headers: PAGE })
    assert.equal(response.headers.get('location'), '/login')
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, 'Sign in to it, and connect Fake')
    const form = {
      email: String(ann.email),
      password: FACTORY_PASSWORD,
      _token: visitor.csrfToken,
    }
    const answer = await visitor.post('/login', { form, headers: PAGE })
    assert.equal(answer.headers.get('location'), `${METHODS}/join`)
  })

  test('who asked to be remembered finds it ticked on the page of their sign-in: {remember}')
    .with([{ remember: true }, { remember: false }])
    .run(async ({ assert }, body) => {
      const social = await useSocial()
      const ann = person()
      await accountOf(String(ann.email))
      const { visitor } = await signIn(social, ann, { headers: PAGE, body })
      const page = await (await visitor.get('/login', { headers: PAGE })).text()
      assert.include(page, 'Sign in to it, and connect Fake')
      assert.equal(/name="remember" value="true"\s+checked/.test(page), body.remember)
    })

  test('somebody else who signs in in that browser does not get it', async ({ assert }) => {
    const { visitor, user } = await waiting()
    const other = await accountOf(`other-${person().sub}@example.com`)
    await visitor.login(other.user.email, FACTORY_PASSWORD)
    const page = await visitor.get(`${METHODS}/join`, { headers: PAGE })
    assert.equal(page.headers.get('location'), METHODS)
    const joined = await visitor.send(`${METHODS}/join`)
    assert.equal(joined.status, 404)
    assert.lengthOf(await identitiesOf(other.user), 0)
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('the owner in another browser does not give it', async ({ assert }) => {
    const { user } = await waiting()
    const elsewhere = new Visitor()
    await elsewhere.login(user.email, FACTORY_PASSWORD)
    const joined = await elsewhere.send(`${METHODS}/join`)
    assert.equal(joined.status, 404)
  })

  test('whoever was signed in before has to confirm once more', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { user, visitor } = await accountOf(String(ann.email))
    travel(2)
    const { answer } = await signIn(social, ann, { visitor })
    assert.deepEqual(answer, { sign_in_required: true })
    const tooSoon = await visitor.send(`${METHODS}/join`)
    assert.equal(tooSoon.status, 403)
    assert.lengthOf(await identitiesOf(user), 0)
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    const joined = await visitor.send(`${METHODS}/join`)
    assert.equal(joined.status, 200)
  })

  test('an account whose address is {name} does not get it')
    .with([
      { name: 'another meanwhile', change: () => ({ email: `moved-${person().sub}@example.com` }) },
      { name: 'not verified any more', change: () => ({ emailVerifiedAt: null }) },
    ])
    .run(async ({ assert }, { change }) => {
      const { visitor, user } = await waiting()
      await user.merge(change()).save()
      await visitor.login(user.email, FACTORY_PASSWORD)
      const joined = await visitor.send(`${METHODS}/join`)
      assert.equal(joined.status, 404)
      assert.lengthOf(await identitiesOf(user), 0)
    })

  test('a session that ends while it joins leaves the account without it', async ({
    assert,
    cleanup,
  }) => {
    const { visitor, user } = await waiting()
    await visitor.login(user.email, FACTORY_PASSWORD)
    cleanup(await endSessionsOfRequests(user))
    const joined = await visitor.send(`${METHODS}/join`)
    assert.equal(joined.status, 401)
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('it waits for half an hour', async ({ assert }) => {
    const { visitor, user } = await waiting()
    travel(30 * 60)
    await visitor.login(user.email, FACTORY_PASSWORD)
    const joined = await visitor.send(`${METHODS}/join`)
    assert.equal(joined.status, 404)
  })
})

test.group('An account that somebody prepared with the address of another person', () => {
  async function prepared() {
    const social = await useSocial()
    const ann = person()
    return { social, ann, ...(await accountOf(String(ann.email), { verified: false })) }
  }

  test('its owner gets it, and nothing that was made before goes on', async ({ assert }) => {
    const { social, ann, user, visitor: stranger } = await prepared()
    const { details } = await ApiToken.create(user, { name: 'of the stranger' })
    const { visitor, answer } = await signIn(social, ann)
    assert.equal(answer.user.id, user.id)
    assert.isTrue(await isSignedIn(visitor))
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
    assert.isFalse(await isSignedIn(stranger))
    assert.isEmpty((await ApiToken.tokens(user)).filter(({ id }) => id === details.id))
    const login = await new Visitor().login(user.email, FACTORY_PASSWORD)
    assert.equal(login.status, 401)
    const methods = (await (await visitor.get(METHODS)).json()) as any
    assert.isFalse(methods.password)
    assert.include(await typesSeenBy(visitor), 'identity_linked')
    assert.equal((await signIn(social, ann)).answer.user.id, user.id)
  })

  test('two of its sign-ins at once give it to its owner, with one identity', async ({
    assert,
  }) => {
    const { social, ann, user } = await prepared()
    await Promise.all([signIn(social, ann), signIn(social, ann)])
    assert.lengthOf(await identitiesOf(user), 1)
    assert.equal((await signIn(social, ann)).answer.user.id, user.id)
  })

  test('who is registering it when its owner arrives is not signed in', async ({
    assert,
    cleanup,
  }) => {
    const social = await useSocial()
    const ann = person()
    const verification = (await authManager()).feature('emailVerification')!
    const restore = () => void Reflect.deleteProperty(verification, 'trySendLink')
    cleanup(restore)
    const owner = new Visitor()
    verification.trySendLink = async () => {
      restore()
      await signIn(social, ann, { visitor: owner })
    }
    const stranger = new Visitor()
    const account = { password: FACTORY_PASSWORD, password_confirmation: FACTORY_PASSWORD }
    const form = { email: String(ann.email), ...account }
    const { headers } = await stranger.post('/register', { form, headers: PAGE })
    assert.equal(headers.get('location'), '/login')
    assert.isFalse(await isSignedIn(stranger))
    assert.isTrue(await isSignedIn(owner))
  })

  test('one that is not active stays as it is', async ({ assert }) => {
    const { social, ann, user } = await prepared()
    await user.merge({ isActive: false }).save()
    const reasons = refusedReasons()
    const { response } = await signIn(social, ann)
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['inactive'])
    const page = await signIn(social, ann, { headers: PAGE })
    assert.equal(page.response.headers.get('location'), '/login')
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('one that is {what} while it is given to its owner gets no identity')
    .with([
      { what: 'closed', change: { isActive: false } },
      { what: 'not verified any more', change: { emailVerifiedAt: null } },
      {
        what: 'given a verified address of the stranger',
        change: { email: `stranger-${process.pid}@example.com`, emailVerifiedAt: 1 },
      },
    ])
    .run(async ({ assert }, { change }) => {
      const { social, ann, user } = await prepared()
      const { accountAccess } = await authManager()
      wrapForTest(accountAccess, 'firstArrival', (firstArrival) => async (...given: any[]) => {
        const ended = await (firstArrival as any)(...given)
        await User.query().where('id', user.id).update(change)
        return ended
      })
      const { response, visitor } = await signIn(social, ann, { headers: PAGE })
      assert.equal(response.headers.get('location'), '/login')
      assert.include(await loginPageOf(visitor), 'The sign-in at Fake did not work')
      assert.lengthOf(await identitiesOf(user), 0)
    })

  test('an identity of its owner that is taken away at that moment lets nobody in', async ({
    assert,
  }) => {
    const { social, ann, user } = await prepared()
    const { identities } = (await authManager()).feature('social')!
    wrapForTest(identities, 'insert', (insert) => async (...given) => {
      const isLinked = await insert(...given)
      await identitiesOf(user).delete()
      return isLinked
    })
    const { response, visitor } = await signIn(social, ann, { headers: PAGE })
    assert.equal(response.headers.get('location'), '/login')
    assert.include(await loginPageOf(visitor), 'The sign-in at Fake did not work')
    assert.isFalse(await isSignedIn(visitor))
  })

  test('identities are among what acts for an account, and end with the rest', async ({
    assert,
  }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    await signIn(social, person(), { visitor, path: `${METHODS}/link/fake` })
    const access = (await (await visitor.get('/account/access')).json()) as any
    assert.deepEqual(access, { access: [{ name: 'identities', count: 1 }] })
    await visitor.send('/account/access/end')
    assert.lengthOf(await identitiesOf(user), 0)
  })
})

test.group('An address that the provider does not vouch for', () => {
  async function asked(claims: Record<string, unknown> = {}) {
    const social = await useSocial()
    const ann = person({ email_verified: false, ...claims })
    const { visitor, answer } = await signIn(social, ann)
    await afterReplies()
    return { social, ann, visitor, answer, mail: social.mails.at(-1)! }
  }

  test('the link in the same browser makes the account, and no site learns its address', async ({
    assert,
  }) => {
    const { social, ann, visitor, mail } = await asked()
    assert.deepInclude(mail, { kind: 'verify', email: ann.email })
    assert.isNull(await User.findBy({ email: String(ann.email) }))
    const response = await visitor.get(pathOf(mail.link!))
    assert.equal(response.headers.get('referrer-policy'), 'strict-origin')
    assert.equal(((await response.json()) as any).user.email, ann.email)
    assert.isTrue(await isSignedIn(visitor))
    const again = await signIn(social, ann)
    assert.isTrue(await isSignedIn(again.visitor))
  })

  test('in another browser it does nothing: whoever gets the mail lets nobody in', async ({
    assert,
  }) => {
    const { ann, visitor, mail } = await asked()
    const victim = new Visitor()
    assert.equal((await victim.get(pathOf(mail.link!))).status, 401)
    assert.isNull(await User.findBy({ email: String(ann.email) }))
    assert.equal((await visitor.get('/auth/address?token=guess')).status, 401)
    assert.equal((await visitor.get('/auth/address')).status, 401)
  })

  test('the link works once, and for an hour', async ({ assert }) => {
    const one = await asked()
    await one.visitor.get(pathOf(one.mail.link!))
    const reasons = refusedReasons()
    assert.equal((await one.visitor.get(pathOf(one.mail.link!))).status, 401)
    const late = await asked()
    travel(60 * 60)
    assert.equal((await late.visitor.get(pathOf(late.mail.link!))).status, 401)
    assert.deepEqual(reasons, ['bad_link', 'bad_link'])
    const page = await late.visitor.get(pathOf(late.mail.link!), { headers: PAGE })
    assert.equal(page.headers.get('location'), '/login')
  })

  test('a person with a link that does not work reads so, not that a provider failed', async ({
    assert,
  }) => {
    const { mail } = await asked()
    const elsewhere = new Visitor()
    await elsewhere.get(pathOf(mail.link!), { headers: PAGE })
    const page = await (await elsewhere.get('/login', { headers: PAGE })).text()
    assert.include(page, 'This link works once, for a while, in the browser that asked for it.')
  })

  test('where an account has the address, its owner is told, and the answer is the same', async ({
    assert,
  }) => {
    const email = `${person().sub}@example.com`
    await accountOf(email)
    const { answer, mail } = await asked({ email })
    assert.deepEqual(answer, { verify_address: true })
    assert.deepEqual(mail, { kind: 'taken', email })
  })

  test('the database is asked the same, with an account that has the address and without one', async ({
    assert,
  }) => {
    const social = await useSocial()
    const known = person({ email_verified: false })
    await accountOf(String(known.email))
    const statementsOf = (who: Person) => recordStatements(() => signIn(social, who))
    await statementsOf(person({ email_verified: false }))
    const without = await statementsOf(person({ email_verified: false }))
    assert.deepEqual(await statementsOf(known), without)
  })

  test('what strangers claim uses up nothing of the owner of the address', async ({ assert }) => {
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    const email = `${person().sub}@example.com`
    const { visitor } = await accountOf(email, { verified: false })
    const { answer } = await asked({ email })
    assert.deepEqual(answer, { verify_address: true })
    assert.equal((await visitor.send('/email/verify')).status, 200)
  })

  test('an account that comes in between is joined by the rule', async ({ assert }) => {
    const { ann, visitor, mail } = await asked()
    await accountOf(String(ann.email))
    const response = await visitor.get(pathOf(mail.link!))
    assert.deepEqual(await response.json(), { sign_in_required: true })
    assert.isFalse(await isSignedIn(visitor))
  })
})

test.group('Sign-in methods of the account', () => {
  async function link(social: SocialSetUp, visitor: Visitor, who = person()) {
    return signIn(social, who, { visitor, path: `${METHODS}/link/fake` })
  }

  async function methodsOf(visitor: Visitor) {
    return (await (await visitor.get(METHODS)).json()) as any
  }

  test('what opens an account names it, with the page on which it is taken away', async ({
    assert,
  }) => {
    const { visitor } = await signIn(await useSocial(), person())
    const page = await (await visitor.get('/account/access', { headers: PAGE })).text()
    assert.include(page, `<a href="${METHODS}">`)
  })

  test('an identity is linked, whatever its address, and signs in', async ({ assert }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    const ann = person()
    const { answer } = await link(social, visitor, ann)
    assert.deepEqual(answer, { status: 'linked' })
    const methods = await methodsOf(visitor)
    assert.deepInclude(methods, { password: true, passkeys: 0 })
    assert.deepEqual(methods.providers, [{ name: 'hub', label: 'Hub' }])
    assert.deepInclude(methods.identities[0], { provider: 'fake', email: ann.email })
    assert.equal((await signIn(social, ann)).answer.user.id, user.id)
    const page = await (await visitor.get(METHODS, { headers: PAGE })).text()
    assert.include(page, 'Disconnect')
    assert.include(page, 'Connect Hub')
  })

  test('the identity of somebody else is not', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const first = await signIn(social, ann)
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    const reasons = refusedReasons()
    const { response } = await link(social, visitor, ann)
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['in_use'])
    assert.lengthOf(await identitiesOf(user), 0)
    assert.lengthOf(await identitiesOf(first.answer.user), 1)
  })

  test('an account whose address nobody has verified gets none', async ({ assert }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`, { verified: false })
    const reasons = refusedReasons()
    const { response } = await link(social, visitor)
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['unverified_own'])
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('linking goes to the account that began, and to no other', async ({ assert }) => {
    const social = await useSocial()
    const { visitor } = await accountOf(`${person().sub}@example.com`)
    const callback = social.provider.authorize(
      await begin(visitor, `${METHODS}/link/fake`),
      person()
    )
    const other = await accountOf(`${person().sub}@example.com`)
    await visitor.login(other.user.email, FACTORY_PASSWORD)
    assert.equal((await visitor.get(pathOf(callback))).status, 401)
    assert.lengthOf(await identitiesOf(other.user), 0)
  })

  test('an account that is closed meanwhile gets none', async ({ assert }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    const url = await begin(visitor, `${METHODS}/link/fake`)
    await user.merge({ isActive: false }).save()
    const reasons = refusedReasons()
    const response = await visitor.get(pathOf(social.provider.authorize(url, person())))
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['other_person'])
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('where addresses are not verified at all, no account gets one', async ({ assert }) => {
    await useSocial()
    const { user } = await accountOf(`${person().sub}@example.com`)
    const manager = await authManager()
    const { identities } = manager.feature('social')!
    assert.isTrue(identities.isVerified(user))
    const verification = manager.feature('emailVerification')!
    manager.registerFeature('emailVerification', undefined as never)
    try {
      assert.isFalse(identities.isVerified(user))
    } finally {
      manager.registerFeature('emailVerification', verification)
    }
  })

  test('it needs a confirmation', async ({ assert }) => {
    await useSocial()
    const { visitor } = await accountOf(`${person().sub}@example.com`)
    travel(16 * 60)
    const response = await visitor.send(`${METHODS}/link/fake`)
    assert.equal(response.status, 403)
  })

  test('an unlinked identity signs in no more', async ({ assert }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    const ann = person({ email: user.email })
    await link(social, visitor, ann)
    const { identities } = await methodsOf(visitor)
    const path = `${METHODS}/${identities[0].id}`
    assert.equal((await visitor.request('DELETE', path, { csrf: true })).status, 204)
    assert.equal((await visitor.request('DELETE', path, { csrf: true })).status, 404)
    const events = await eventsSeenBy(visitor)
    for (const type of ['identity_linked', 'identity_unlinked']) {
      assert.deepEqual(events.find((event) => event.type === type)?.details, { name: 'Fake' })
    }
    const later = await signIn(social, ann)
    assert.deepEqual(later.answer, { sign_in_required: true })
    assert.isFalse(await isSignedIn(later.visitor))
  })

  test('an unlinked identity may go to another account', async ({ assert }) => {
    const social = await useSocial()
    const one = await accountOf(`${person().sub}@example.com`)
    const ann = person()
    await link(social, one.visitor, ann)
    const { identities } = await methodsOf(one.visitor)
    await one.visitor.request('DELETE', `${METHODS}/${identities[0].id}`, { csrf: true })
    const other = await accountOf(`${person().sub}@example.com`)
    await link(social, other.visitor, ann)
    assert.equal((await signIn(social, ann)).answer.user.id, other.user.id)
  })

  test('the last identity stays until a password is set, also beside passkeys and codes', async ({
    assert,
  }) => {
    const social = await useSocial()
    const { visitor, answer } = await signIn(social, person())
    await useMailCodes()
    const owner = { userId: String(answer.user.id), provider: 'users' }
    const row = { name: 'Phone', credentialId: 'x', publicKey: 'x', counter: 0, transports: [] }
    await insertPasskey(owner, row, { challenge: String(answer.user.id), expiresAt: Date.now() })
    const { identities, password } = await methodsOf(visitor)
    assert.isFalse(password)
    const path = `${METHODS}/${identities[0].id}`
    assert.equal((await visitor.request('DELETE', path, { csrf: true })).status, 409)
    const form = { _token: visitor.csrfToken, sure: '1' }
    await visitor.post(`${path}/remove`, { form, headers: PAGE })
    const page = await (await visitor.get(METHODS, { headers: PAGE })).text()
    assert.include(page, 'Without a password, one connection has to stay')

    const user = await User.findOrFail(answer.user.id)
    await user.merge({ password: FACTORY_PASSWORD }).save()
    assert.isTrue((await methodsOf(visitor)).password)
    assert.equal((await visitor.request('DELETE', path, { csrf: true })).status, 204)
  })

  test('of the last two, unlinked at the same moment, one stays', async ({ assert }) => {
    const social = await useSocial()
    const { visitor, answer } = await signIn(social, person())
    assert.deepEqual((await link(social, visitor)).answer, { status: 'linked' })
    const { identities, password } = await methodsOf(visitor)
    assert.isFalse(password)
    const paths: string[] = identities.map(({ id }: any) => `${METHODS}/${id}`)
    const answers = await Promise.all(
      paths.map((path) => visitor.request('DELETE', path, { csrf: true }))
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409])
    assert.lengthOf(await identitiesOf(answer.user), 1)
  })

  test('who knows no password keeps a way in when they end all access to the account', async ({
    assert,
  }) => {
    const social = await useSocial()
    const { visitor, answer } = await signIn(social, person())
    const form = { _token: visitor.csrfToken }
    await visitor.post('/account/access/end', { form, headers: PAGE })
    const page = await (await visitor.get('/account/access', { headers: PAGE })).text()
    assert.include(page, 'Without a password, one connection has to stay')
    const again = await visitor.send('/account/access/end')
    assert.deepEqual(await again.json(), { ended: 0 })
    assert.lengthOf(await identitiesOf(answer.user), 1)
    assert.isFalse((await methodsOf(visitor)).password)
  })

  test('of several identities the oldest stays then, and with a password none', async ({
    assert,
  }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor, answer } = await signIn(social, ann)
    await link(social, visitor)
    const manager = await authManager()
    const { access } = manager.feature('social')!.identities
    const user = await User.findOrFail(answer.user.id)
    assert.equal(await access.endAllOf(user, manager.usersOf(), true), 1)
    const [kept, ...others] = await identitiesOf(user)
    assert.equal(kept.subject, ann.sub)
    assert.isEmpty(others)

    await user.merge({ password: FACTORY_PASSWORD }).save()
    await access.endAllOf(user, manager.usersOf(), true)
    assert.isEmpty(await identitiesOf(user))
  })

  test('the identity of somebody else cannot be unlinked', async ({ assert }) => {
    const social = await useSocial()
    const ann = await signIn(social, person())
    const [row] = await identitiesOf(ann.answer.user)
    const { visitor } = await accountOf(`${person().sub}@example.com`)
    for (const id of [row.id, 'x', '99999999999999999999999']) {
      const path = `${METHODS}/${id}`
      assert.equal((await visitor.request('DELETE', path, { csrf: true })).status, 404)
    }
    assert.lengthOf(await identitiesOf(ann.answer.user), 1)
  })

  test('identities go with the account', async ({ assert }) => {
    const social = await useSocial()
    const { user, visitor } = await accountOf(`${person().sub}@example.com`)
    const ann = person()
    await link(social, visitor, ann)
    const json = { password: FACTORY_PASSWORD }
    await visitor.send('/account/delete', json)
    assert.lengthOf(await identitiesOf(user), 0)
    const { answer } = await signIn(social, ann)
    assert.notEqual(answer.user.id, user.id)
  })
})
