import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as bodyOf } from 'node:stream/consumers'

import encryption from '@adonisjs/core/services/encryption'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { keepLog } from '#starter/helpers/log_lines'
import { useMailCodes } from '#starter/helpers/mail_code'
import { authManager } from '#starter/helpers/passwords'
import {
  fieldsOf,
  newDomain,
  records,
  useOrganisation,
  useOrganisations,
  verify,
} from '#starter/helpers/organisations'
import { typesSeenBy } from '#starter/helpers/security_events'
import {
  PAGE,
  accountOf,
  begin,
  configureSocial,
  identitiesOf,
  pathOf,
  person,
  refusedReasons,
  signIn,
} from '#starter/helpers/social'
import { openIdConnect } from '#kit/social/presets'
import { OpenIdProvider } from '#kit/social/providers/open_id'
import { CLIENT_SECRET, FakeProvider } from '#starter/helpers/fake_provider'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { stopClock, travel } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const login = (visitor: Visitor, json: object) => visitor.send('/login', json)

/** A form of the sign-in page, as a browser sends it. */
async function sendForm(path: string, form: Record<string, string>) {
  const visitor = new Visitor()
  await visitor.get('/login', { headers: PAGE })
  const response = await visitor.post(path, { form, csrf: true, headers: PAGE })
  return { visitor, response, text: await response.text() }
}

test.group('The identity provider of an organisation', () => {
  test('somebody who types an address of its domain is sent there, whether they have an account or not', async ({
    assert,
  }) => {
    const { row, domain, provider } = await useOrganisation()
    await accountOf(`known@${domain}`)
    for (const email of [`known@${domain}`, `unknown@${domain.toUpperCase()}`]) {
      const { response, text } = await sendForm('/login', { email, password: '' })
      assert.equal(response.status, 200)
      assert.include(text, `${provider.issuer}/authorize`)
      const asked = await login(new Visitor(), { email })
      assert.equal(asked.status, 403)
      assert.deepEqual(await asked.json(), {
        error: 'provider_required',
        error_description: 'People of this domain sign in through their own provider.',
        sign_in: `/auth/${row.name}`,
      })
    }
  })

  test('the page of the sign-in needs no password then, and says so', async ({ assert }) => {
    const before = await (await new Visitor().get('/login', { headers: PAGE })).text()
    assert.notInclude(before, 'your address is enough')
    const { domain } = await useOrganisation()
    const { response, text } = await sendForm('/login', {
      email: `ann@other.${domain}`,
      password: '',
    })
    assert.equal(response.status, 302)
    const page = await (await new Visitor().get('/login', { headers: PAGE })).text()
    assert.include(page, 'your address is enough')
    assert.notInclude(text, domain)
  })

  test('who asked the form of the password to be remembered is remembered by way of the provider', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const signInByForm = async (remember: Record<string, string>) => {
      const ann = social.personOf()
      const form = { email: String(ann.email), password: '', ...remember }
      const { visitor, text } = await sendForm('/login', form)
      const [href] = /https?:[^"]+\/authorize\?[^"]+/.exec(text)!
      const callback = social.provider.authorize(href.replaceAll('&amp;', '&'), ann)
      await visitor.get(pathOf(callback))
      assert.isTrue(await isSignedIn(visitor))
      return visitor
    }
    const kept = await signInByForm({ remember: 'true' })
    const short = await signInByForm({})
    travel(3 * 60 * 60)
    assert.isTrue(await isSignedIn(kept))
    assert.isFalse(await isSignedIn(short))
  })

  test('the pages of an account lead to its ways to sign in while an organisation has a provider', async ({
    assert,
  }) => {
    const { visitor } = await accountOf(`${newDomain()}@elsewhere.example`)
    const account = async () => (await visitor.get('/account', { headers: PAGE })).text()
    const social = await useOrganisations()
    assert.notInclude(await account(), 'href="/account/sign-in-methods"')
    const row = await social.organisations.add(fieldsOf(social), null)
    assert.notInclude(await account(), 'href="/account/sign-in-methods"')
    await verify(social.organisations, row)
    assert.include(await account(), 'href="/account/sign-in-methods"')
  })

  test('its people get accounts, and a password still signs in where it is not forbidden', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const ann = social.personOf()
    const { answer, visitor } = await signIn(social, ann, { path: social.path })
    assert.isTrue(await isSignedIn(visitor))
    const user = await User.findOrFail(answer.user.id)
    assert.isNotNull(user.emailVerifiedAt)
    await user.merge({ password: FACTORY_PASSWORD }).save()
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    assert.equal((await login(new Visitor(), credentials)).status, 200)
  })

  test('one whose secret is of another APP_KEY lets nobody in, and breaks no page of its people', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const { row, path } = social
    const ann = social.personOf()
    const { visitor } = await signIn(social, ann, { path })
    const sealed = encryption.encrypt('a secret', { purpose: 'of another key' })
    await row.merge({ clientSecret: sealed }).save()

    for (const page of ['/confirm', '/account/email', '/account/delete', '/account/security']) {
      assert.equal((await visitor.get(page, { headers: PAGE })).status, 200, page)
    }
    const methods = await visitor.get('/account/sign-in-methods', { headers: PAGE })
    assert.include(await methods.text(), social.domain)

    const log = keepLog()
    const asked = await new Visitor().send(path)
    assert.equal(asked.status, 503)
    assert.include(log(), 'cannot be decrypted: add the APP_KEY from before')
    const { response } = await sendForm('/login', { email: String(ann.email), password: '' })
    assert.equal(response.headers.get('location'), '/login')
  })

  test('it is trusted for its domain, and for no other', async ({ assert }) => {
    const social = await useOrganisation()
    for (const email of [
      `ann@elsewhere.example`,
      `ann@sub.${social.domain}`,
      `ann@not-${social.domain}`,
    ]) {
      const { answer } = await signIn(social, social.personOf({ email }), { path: social.path })
      assert.deepEqual(answer, { verify_address: true })
    }
  })

  test('Google is trusted for those whom it says are of the organisation: private accounts keep addresses, too', async ({
    assert,
  }) => {
    const { row, organisations, domain } = await useOrganisation()
    const email = `ann@${domain}`
    const isTrusted = async (claims: object, address = email) => {
      const provider = await organisations.find(row.name)
      const profile = { email: address, claims } as Parameters<OpenIdProvider['isTrustedFor']>[0]
      return provider!.isTrustedFor(profile)
    }
    assert.isTrue(await isTrusted({}))
    const clientSecret = encryption.encrypt(CLIENT_SECRET, {
      purpose: `organisation_provider:${row.name}`,
    })
    await row.merge({ issuer: 'https://accounts.google.com', clientSecret }).save()
    assert.isTrue(await isTrusted({ hd: domain }))
    assert.isFalse(await isTrusted({}))
    assert.isFalse(await isTrusted({ hd: 'elsewhere.example' }))
    assert.isFalse(await isTrusted({ hd: domain }, 'ann@elsewhere.example'))
  })

  test('a domain beyond ASCII is one, in letters and encoded: an account there keeps a way in when passwords are forbidden', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    const domain = `bücher-${social.domain}`
    const row = await social.organisations.add(fieldsOf({ ...social, domain }), null)
    await verify(social.organisations, row)
    await social.organisations.forbidPassword(row, true)
    const path = `/auth/${row.name}`
    for (const spelling of [domain, row.domain]) {
      const { visitor } = await signIn(social, person({ email: `new@${spelling}` }), { path })
      assert.isTrue(await isSignedIn(visitor))
    }
    const email = `ann@${domain}`
    await accountOf(email)
    const { visitor, answer } = await signIn(social, person({ email }), { path })
    assert.deepEqual(answer, { sign_in_required: true })
    const credentials = { email, password: FACTORY_PASSWORD }
    assert.equal((await login(visitor, credentials)).status, 200)
    assert.equal((await visitor.send('/account/sign-in-methods/join')).status, 200)
  })

  test('it opens accounts of its domain that came through another provider of its issuer, in letters and encoded', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const domain = `bücher-${social.domain}`
    const row = await social.organisations.add(fieldsOf({ ...social, domain }), null)
    await verify(social.organisations, row)
    const ann = social.personOf()
    const { answer } = await signIn(social, ann, { path: social.path })
    const user = await User.findOrFail(answer.user.id)
    const path = `/auth/${row.name}`
    assert.equal((await signIn(social, ann, { path })).response.status, 401)
    for (const spelling of [domain, row.domain]) {
      await user.merge({ email: `ann@${spelling}` }).save()
      assert.equal((await signIn(social, ann, { path })).response.status, 200)
    }
  })

  test('a verified account of its domain is joined once its owner has signed in', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const ann = social.personOf()
    const { user } = await accountOf(String(ann.email))
    const { answer } = await signIn(social, ann, { path: social.path })
    assert.deepEqual(answer, { sign_in_required: true })
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('one whose domain is not verified signs nobody in', async ({ assert }) => {
    const social = await useOrganisations()
    const row = await social.organisations.add(fieldsOf(social), null)
    const response = await new Visitor().send(`/auth/${row.name}`)
    assert.equal(response.status, 404)
    const email = `ann@${social.domain}`
    assert.equal((await login(new Visitor(), { email, password: 'x' })).status, 401)
  })

  test('a name that no database can store is that of no provider', async ({ assert }) => {
    await useOrganisation()
    for (const path of ['/auth/%00', '/auth/x%00/backchannel-logout']) {
      assert.equal((await new Visitor().send(path)).status, 404, path)
    }
  })

  test('its identities do not open accounts that came through another provider, but for those of its domain', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const { row, provider, organisations, domain } = social
    const settings = openIdConnect({
      label: 'Public',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: CLIENT_SECRET,
      trustedFor: ['*'],
    })
    await configureSocial({ public: settings })
    const bob = social.personOf({ email: `bob-${domain}@elsewhere.example` })
    const own = social.personOf()
    const first = await signIn(social, bob, { path: '/auth/public' })
    assert.isTrue(await isSignedIn(first.visitor))
    await signIn(social, own, { path: '/auth/public' })

    const reasons = refusedReasons()
    const stolen = await signIn(social, bob, { path: `/auth/${row.name}` })
    assert.equal(stolen.response.status, 401)
    assert.deepEqual(reasons, ['in_use'])
    assert.isFalse(await isSignedIn(stolen.visitor))
    assert.include(await typesSeenBy(first.visitor), 'identity_refused')
    assert.isTrue(await isSignedIn((await signIn(social, own, { path: social.path })).visitor))
    assert.isNotNull(await organisations.find(row.name))
  })

  test('its button is on the page that confirms, and on that of the sign-in methods', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const { visitor } = await signIn(social, social.personOf(), { path: social.path })
    const page = await (await visitor.get('/confirm', { headers: PAGE })).text()
    assert.include(page, `/confirm/social/${social.row.name}`)
    const methods = await (await visitor.get('/account/sign-in-methods', { headers: PAGE })).text()
    assert.include(methods, `<strong>${social.domain}</strong>`)
  })

  test('a logout token of it ends its sessions, and the log says so', async ({ assert }) => {
    const social = await useOrganisation()
    const ann = social.personOf({ sid: 'there' })
    const first = await signIn(social, ann, { path: social.path })
    const second = await signIn(social, { ...ann, sid: 'other' }, { path: social.path })
    const token = await social.provider.logoutToken({ sid: 'there' })
    const path = `${social.path}/backchannel-logout`
    assert.equal((await new Visitor().post(path, { form: { logout_token: token } })).status, 204)
    assert.isFalse(await isSignedIn(first.visitor))
    assert.include(await typesSeenBy(second.visitor), 'identity_signed_out')
  })

  test(
    'a logout token for its client ends no session from another one with the same issuer: {$self}'
  )
    .with(['sub', 'sid'])
    .run(async ({ assert }, claim) => {
      const social = await useOrganisation()
      const domain = newDomain()
      const client = { ...fieldsOf({ ...social, domain }), clientId: 'another-client' }
      const other = await social.organisations.add(client, null)
      await verify(social.organisations, other)
      const ann = social.personOf({ sid: 'there' })
      const { visitor } = await signIn(social, ann, { path: social.path })
      const token = await social.provider.logoutToken({
        aud: 'another-client',
        [claim]: ann[claim],
      })
      const path = `/auth/${other.name}/backchannel-logout`
      assert.equal((await new Visitor().post(path, { form: { logout_token: token } })).status, 204)
      assert.isTrue(await isSignedIn(visitor))
    })
})

test.group('A domain that forbids passwords', () => {
  async function useEnforced() {
    const social = await useOrganisation()
    await social.organisations.forbidPassword(social.row, true)
    return social
  }

  test('login, reset, code by mail and registration lead to the provider, with an account or without', async ({
    assert,
  }) => {
    await useMailCodes()
    const { domain, provider, row } = await useEnforced()
    const password = FACTORY_PASSWORD
    await accountOf(`known@${domain}`).catch(() => null)
    for (const email of [`known@${domain}`, `unknown@${domain}`]) {
      const registration = { email, password, password_confirmation: password }
      for (const [path, fields] of Object.entries({
        '/login': { email, password },
        '/password/email': { email },
        '/login/code': { email },
        '/register': registration,
      })) {
        const refused = await new Visitor().send(path, fields)
        assert.equal(refused.status, 403, path)
        assert.equal(((await refused.json()) as any).sign_in, `/auth/${row.name}`)
        const { response, text } = await sendForm(path, fields as Record<string, string>)
        assert.equal(response.status, 200, path)
        assert.include(text, `${provider.issuer}/authorize`)
      }
    }
    assert.isNull(await User.findBy({ email: `unknown@${domain}` }))
  })

  test('an address in the query of a registration does not hide the one in its form', async ({
    assert,
  }) => {
    const { domain } = await useEnforced()
    const [email, password] = [`new@${domain}`, FACTORY_PASSWORD]
    const path = '/register?email=new@elsewhere.example'
    const json = { email, password, password_confirmation: password }
    assert.equal((await new Visitor().send(path, json)).status, 403)
    assert.isNull(await User.findBy({ email }))
  })

  test('people of other domains are asked for their password', async ({ assert }) => {
    await useEnforced()
    const { user } = await accountOf(`${newDomain()}@elsewhere.example`)
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    assert.equal((await login(new Visitor(), credentials)).status, 200)
  })

  test('a password counts once more where an identity waits for the owner of the account, in that browser alone', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const ann = social.personOf()
    const { user } = await accountOf(String(ann.email))
    await social.organisations.forbidPassword(social.row, true)
    const { visitor } = await signIn(social, ann, { path: social.path })
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    assert.equal((await login(new Visitor(), credentials)).status, 403)
    const other = { email: `other@${social.domain}`, password: FACTORY_PASSWORD }
    assert.equal((await login(visitor, other)).status, 403)
    assert.equal((await login(visitor, credentials)).status, 200)
    const joined = await visitor.post('/account/sign-in-methods/join', { csrf: true })
    assert.equal(joined.status, 200)
    assert.isTrue(await isSignedIn((await signIn(social, ann, { path: social.path })).visitor))
    assert.equal((await login(visitor, credentials)).status, 403)
  })

  test('it does not where an identity of another provider waits', async ({ assert }) => {
    const social = await useEnforced()
    const { issuer, clientId } = social.provider
    const trusted = { clientSecret: CLIENT_SECRET, trustedFor: ['*'] }
    const settings = openIdConnect({ label: 'Public', issuer, clientId, ...trusted })
    await configureSocial({ public: settings })
    const ann = social.personOf()
    const { user } = await accountOf(String(ann.email))
    const { visitor, answer } = await signIn(social, ann, { path: '/auth/public' })
    assert.deepEqual(answer, { sign_in_required: true })
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    assert.equal((await login(visitor, credentials)).status, 403)
  })

  test('a provider that is down is said, on the page of the sign-in', async ({ assert }) => {
    const social = await useOrganisations()
    const row = await social.organisations.add(fieldsOf(social), null)
    await verify(social.organisations, row)
    await social.organisations.forbidPassword(row, true)
    social.provider.faults.down = true
    const { response, visitor } = await sendForm('/login', {
      email: `ann@${social.domain}`,
      password: 'x',
    })
    assert.equal(response.headers.get('location'), '/login')
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, `${social.domain} does not answer`)
  })

  test('nobody can forbid passwords for a domain that is not verified', async ({ assert }) => {
    const social = await useOrganisations()
    const row = await social.organisations.add(fieldsOf(social), null)
    await assert.rejects(
      () => social.organisations.forbidPassword(row, true),
      'Verify the domain first.'
    )
  })
})

test.group('Removing the provider of an organisation', () => {
  test('its sessions end, its identities are gone, and who is under way does not arrive', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const ann = social.personOf()
    const { visitor, answer } = await signIn(social, ann, { path: social.path })
    const user = await User.findOrFail(answer.user.id)
    await user.merge({ password: FACTORY_PASSWORD }).save()
    const { visitor: byPassword } = await signedIn(user)
    const underWay = new Visitor()
    const callback = social.provider.authorize(await begin(underWay, social.path), ann)

    await social.organisations.remove(social.row)
    assert.isFalse(await isSignedIn(visitor))
    assert.isTrue(await isSignedIn(byPassword))
    assert.lengthOf(await identitiesOf(user), 0)
    assert.equal((await underWay.get(pathOf(callback))).status, 404)
    assert.equal((await new Visitor().send(social.path)).status, 404)
  })

  test('other organisations stay, and the identities of their people', async ({ assert }) => {
    const social = await useOrganisation()
    const { organisations } = social
    const domain = newDomain()
    const other = await organisations.add(fieldsOf({ ...social, domain }), null)
    await verify(organisations, other)
    const bob = social.personOf({ email: `bob@${domain}` })
    const { visitor, answer } = await signIn(social, bob, { path: `/auth/${other.name}` })
    await organisations.remove(social.row)
    assert.isTrue(await isSignedIn(visitor))
    assert.lengthOf(await identitiesOf(answer.user), 1)
    assert.isNotNull(await organisations.find(other.name))
  })

  test('who has come only from it reads where a password is set', async ({ client }) => {
    const social = await useOrganisation()
    const { answer } = await signIn(social, social.personOf(), { path: social.path })
    await social.organisations.remove(social.row)
    const page = client.get('/account/sign-in-methods').headers(PAGE)
    const response = await page.loginAs(await User.findOrFail(answer.user.id))
    response.assertTextIncludes('set another one with “Forgot your password?”')
  })

  test('an identity that comes at that moment is not kept: {$self}')
    .with(['of a new account', 'of an account that connects it'])
    .run(async ({ assert }, whose) => {
      const social = await useOrganisation()
      const ann = social.personOf()
      const { user, visitor } = await accountOf(`${person().sub}@example.com`)
      const { profile } = OpenIdProvider.prototype
      replaceForTest(
        OpenIdProvider.prototype,
        'profile',
        async function (this: OpenIdProvider, ...asked) {
          const came = await profile.apply(this, asked)
          await social.organisations.remove(social.row)
          return came
        }
      )
      const { name } = social.row
      const way =
        whose === 'of a new account'
          ? { path: social.path }
          : { path: `/account/sign-in-methods/link/${name}`, visitor }
      const { response } = await signIn(social, ann, way)
      assert.equal(response.status, 401)
      assert.lengthOf(await db.from('social_identities').where({ name }), 0)
      assert.lengthOf(await identitiesOf(user), 0)
    })

  test('one whose sessions could not be ended is there to be removed again', async ({ assert }) => {
    const social = await useOrganisation()
    const { visitor } = await signIn(social, social.personOf(), { path: social.path })
    const sessions = (await authManager()).feature('sessions')!
    const restore = replaceForTest(sessions, 'destroyFrom', async () => {
      throw new Error('the database is gone')
    })
    const removed = social.organisations.remove(social.row)
    await assert.rejects(() => removed, 'the database is gone')
    restore()
    assert.isNotNull(await social.organisations.find(social.row.name))
    await social.organisations.remove(social.row)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a session that begins while the others end has ended, too', async ({ assert }) => {
    const social = await useOrganisation()
    const sessions = (await authManager()).feature('sessions')!
    let late: Awaited<ReturnType<typeof signIn>> | undefined
    wrapForTest(sessions, 'destroyFrom', (destroyFrom) => async (name) => {
      const ended = await destroyFrom(name)
      late ??= await signIn(social, social.personOf(), { path: social.path })
      return ended
    })
    await social.organisations.remove(social.row)
    assert.equal(late!.response.status, 200)
    assert.isFalse(await isSignedIn(late!.visitor))
  })

  test('a sign-in whose session begins at that moment has none', async ({ assert }) => {
    const social = await useOrganisation()
    const { store } = (await authManager()).feature('sessions')!
    wrapForTest(store, 'create', (create) => async (key, record, caller) => {
      if (record.userId !== null) {
        await social.organisations.remove(social.row)
      }
      return create(key, record, caller)
    })
    const { visitor, response } = await signIn(social, social.personOf(), { path: social.path })
    assert.equal(response.status, 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a sign-in that waits for its next step does not go on', async ({ assert }) => {
    const tick = stopClock()
    const social = await useOrganisation()
    const ann = social.personOf()
    const { answer } = await signIn(social, ann, { path: social.path })
    const { secret } = await turnOn(await User.findOrFail(answer.user.id))
    tick(30)
    const { visitor } = await signIn(social, ann, { path: social.path })
    await social.organisations.remove(social.row)
    const json = { code: codeOf(secret) }
    const response = await visitor.send('/login/two-factor', json)
    assert.equal(response.status, 401)
    assert.isFalse(await isSignedIn(visitor))
  })
})

test.group('Showing whose a domain is', () => {
  test('{domain} is refused: {rule}')
    .with([
      ...['', 'x', 'localhost', '127.0.0.1', 'a b.example', 'http://a.example', 'a..example'].map(
        (domain) => ({ domain, rule: 'domain' })
      ),
      ...['gmail.com', 'Outlook.com', ' web.de'].map((domain) => ({
        domain,
        rule: 'publicDomain',
      })),
    ])
    .run(async ({ assert }, { domain, rule }) => {
      const social = await useOrganisations()
      const error: any = await social.organisations
        .add({ ...fieldsOf(social), domain }, null)
        .catch((refusal) => refusal)
      assert.equal(error.rule, rule)
    })

  test('an internationalised domain is compared as DNS writes it', async ({ assert }) => {
    const social = await useOrganisations()
    const row = await social.organisations.add(
      { ...fieldsOf(social), domain: 'Bücher.example' },
      null
    )
    assert.equal(row.domain, 'xn--bcher-kva.example')
    await verify(social.organisations, row)
    assert.isNotNull(await social.organisations.holderOf('ann@bücher.example'))
  })

  test('a missing record, another one, and name servers that do not answer are said', async ({
    assert,
  }) => {
    let answer: () => Promise<string[]> = async () => []
    const social = await useOrganisations({ resolveTxt: () => answer() })
    const row = await social.organisations.add(fieldsOf(social), null)
    const rule = async () => {
      const error: any = await social.organisations.verify(row).catch((refusal) => refusal)
      return error.rule
    }
    assert.equal(await rule(), 'domainRecord')
    answer = async () => ['sign-in-verification=another']
    assert.equal(await rule(), 'domainRecord')
    answer = async () => {
      throw new Error('ETIMEOUT')
    }
    assert.equal(await rule(), 'nameServers')
    assert.isNull(await social.organisations.holderOf(`ann@${social.domain}`))
  })

  test('of two who verify one domain at once, one holds it', async ({ assert }) => {
    const social = await useOrganisations()
    const { organisations } = social
    for (let round = 0; round < 5; round++) {
      const fields = fieldsOf({ ...social, domain: newDomain() })
      const rows = await Promise.all([organisations.add(fields, 1), organisations.add(fields, 2)])
      const outcomes = await Promise.allSettled(rows.map((row) => verifyBoth(organisations, row)))
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const { reason } = outcomes.find((one) => one.status === 'rejected') as PromiseRejectedResult
      assert.equal(reason.rule, 'domainTaken')
    }
  })

  /** Both records are there. */
  async function verifyBoth(
    organisations: Awaited<ReturnType<typeof useOrganisations>>['organisations'],
    row: Parameters<typeof organisations.verify>[0]
  ) {
    const { name, value } = organisations.recordOf(row)
    records.set(name, [...(records.get(name) ?? []), value])
    await organisations.verify(row)
  }

  test('the same again replaces the secret of the client, which is stored encrypted', async ({
    assert,
  }) => {
    const social = await useOrganisation()
    const { organisations, row } = social
    const again = await organisations.add(
      { ...fieldsOf(social), clientSecret: 'another secret' },
      null
    )
    assert.equal(again.id, row.id)
    assert.notEqual(again.clientSecret, row.clientSecret)
    assert.isNotNull(again.verifiedDomain)
    const [stored] = await db.from('organisation_providers').where('id', row.id)
    assert.notInclude(JSON.stringify(stored), 'another secret')
    assert.notInclude(JSON.stringify(again.serialize()), stored.client_secret)
  })
})

test.group('The same provider for one domain', (group) => {
  const { probe } = OpenIdProvider.prototype
  group.each.teardown(() => void Object.assign(OpenIdProvider.prototype, { probe }))

  test('that two add at once, of a workspace or the operator, is added once: the other is told', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    const { domain } = social
    for (const workspaceId of [null, 7]) {
      const add = () => social.organisations.add(fieldsOf(social), workspaceId)
      OpenIdProvider.prototype.probe = async () => {
        OpenIdProvider.prototype.probe = probe
        await add()
      }
      const error: any = await add().catch((refusal) => refusal)
      assert.equal(error.rule, 'providerAdded')
      const rows = await db.from('organisation_providers').where({ domain })
      assert.lengthOf(
        rows.filter((row) => row.workspace_id === workspaceId),
        1
      )
    }
  })
})

test.group('The issuer of an organisation is typed by a stranger', () => {
  test('{0} is refused outside development')
    .with([
      ['http://127.0.0.1:3333'],
      ['http://issuer.example'],
      ['https://localhost'],
      ['https://127.0.0.1'],
      ['https://[::1]'],
      ['https://169.254.169.254'],
      ['https://metadata.google.internal'],
      ['ftp://issuer.example'],
      ['not a url'],
    ])
    .run(async ({ assert }, [issuer]) => {
      const social = await useOrganisations({ allowsLoopback: false })
      const error: any = await social.organisations
        .add({ ...fieldsOf(social), issuer: issuer! }, null)
        .catch((refusal) => refusal)
      assert.equal(error.rule, 'issuer')
    })

  test('one with characters that nobody sees is refused: operators print it', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    const fields = fieldsOf(social)
    for (const invisible of ['\u001b', '\n', '\u202e']) {
      const error: any = await social.organisations
        .add({ ...fields, issuer: `${fields.issuer}/${invisible}` }, null)
        .catch((refusal) => refusal)
      assert.equal(error.rule, 'issuer')
    }
    assert.lengthOf(await social.organisations.list('all'), 0)
  })

  test('everything that its metadata name is fetched from public addresses alone', async ({
    assert,
  }) => {
    const site = new DocumentServer()
    getActiveTest()!.cleanup(await site.start())
    const inside = await FakeProvider.start()
    useTestFetcher()
    const social = await useOrganisations({ allowsLoopback: false })
    const issuer = `https://${site.host}`
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: inside.issuer.replace('http:', 'https:'),
      jwks_uri: inside.issuer.replace('http:', 'https:'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
    site.serve('/.well-known/openid-configuration', JSON.stringify(metadata))
    const row = await social.organisations.add({ ...fieldsOf(social), issuer }, null)
    await verify(social.organisations, row)
    const visitor = new Visitor()
    const asked = new URL(await begin(visitor, `/auth/${row.name}`)).searchParams
    const callback = `/auth/${row.name}/callback?code=x&state=${asked.get('state')}`
    assert.equal((await visitor.get(callback)).status, 503)
    const form = { logout_token: await inside.logoutToken({ iss: issuer, sub: 'ann' }) }
    const told = await new Visitor().post(`/auth/${row.name}/backchannel-logout`, { form })
    assert.equal(told.status, 503)
    assert.lengthOf(inside.requests, 0)
  })

  test('metadata of another issuer, and a sign-in page that is no https address, are refused', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    for (const metadata of [
      { issuer: 'https://another.example' },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      social.provider.faults.metadata = metadata
      const error: any = await social.organisations
        .add(fieldsOf(social), null)
        .catch((refusal) => refusal)
      assert.equal(error.rule, 'issuer')
    }
  })

  test('nor is the address of its metadata taken for an issuer, as a host may have several', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    const issuer = `${social.provider.issuer}/.well-known/openid-configuration`
    const error: any = await social.organisations
      .add({ ...fieldsOf(social), issuer }, null)
      .catch((refusal) => refusal)
    assert.equal(error.rule, 'issuer')
  })

  test('a provider that is reached by https alone signs people in', async ({ assert }) => {
    const site = new DocumentServer()
    getActiveTest()!.cleanup(await site.start())
    useTestFetcher()
    const social = await useOrganisations({ allowsLoopback: false })
    const { provider } = social
    const issuer = `https://${site.host}`
    provider.faults.claims = { iss: issuer }
    provider.faults.metadata = {
      issuer,
      ...Object.fromEntries(
        ['authorization', 'token', 'userinfo'].map((name) => [
          `${name}_endpoint`,
          `${issuer}/${name === 'authorization' ? 'authorize' : name}`,
        ])
      ),
      jwks_uri: `${issuer}/jwks`,
      authorization_response_iss_parameter_supported: false,
    }
    for (const path of ['/.well-known/openid-configuration', '/token', '/userinfo', '/jwks']) {
      site.handle(path, (request, response) => void forward(provider.issuer, request, response))
    }
    provider.onlyUserInfo = ['email', 'email_verified']
    const row = await social.organisations.add({ ...fieldsOf(social), issuer }, null)
    await verify(social.organisations, row)

    const visitor = new Visitor()
    const ann = person({ email: `ann@${social.domain}` })
    const callback = provider.authorize(await begin(visitor, `/auth/${row.name}`), ann)
    callback.searchParams.delete('iss')
    assert.equal((await visitor.get(pathOf(callback))).status, 200)
    assert.isTrue(await isSignedIn(visitor))
    const form = { logout_token: await provider.logoutToken({ sub: ann.sub }) }
    await new Visitor().post(`/auth/${row.name}/backchannel-logout`, { form })
    assert.isFalse(await isSignedIn(visitor))
  })
})

/** Answers as another server does. */
async function forward(to: string, request: IncomingMessage, response: ServerResponse) {
  const { authorization, 'content-type': type } = request.headers
  const answer = await fetch(to + request.url, {
    method: request.method,
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
    body: request.method === 'POST' ? await bodyOf(request) : undefined,
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
}
