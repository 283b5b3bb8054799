import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { HTML, decide } from '#starter/helpers/consent'
import { type TestClient, createPkce, isolate, postToken, redemption } from '#starter/helpers/oauth'
import { SCOPE, registerRelyingParty, useOpenId, verified } from '#starter/helpers/openid'
import { openPushed, push, pushed, referringPath } from '#starter/helpers/par'
import { stopClock } from '#starter/helpers/time'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

const UNKNOWN = 'urn:ietf:params:oauth:request_uri:unknown'

/** OpenID Connect and pushed requests are on until the test ends. */
const useBoth = () => useOpenId({ pushedRequests: { enabled: true } })

/** The claims of the ID token that a person allows on a page. */
async function answerOf(visitor: Visitor, page: Response, client: TestClient, verifier: string) {
  const answer = await decide(visitor, await page.text(), 'approve')
  const code = new URL(answer.headers.get('location')!).searchParams.get('code')!
  const { body } = await postToken(redemption(client, { code, verifier }))
  return (await verified(body.id_token)).claims
}

/** Presses a button of a page that is not the consent page, and says where it leads. */
async function press(visitor: Visitor, page: Response, name: string): Promise<string> {
  const html = await page.text()
  const [, action] = new RegExp(`action="([^"]+/${name})"`).exec(html)!
  const [, token] = /name="_token" value="([^"]+)"/.exec(html)!
  const response = await visitor.post(action!, { form: { _token: token! }, headers: HTML })
  return response.headers.get('location')!
}

test.group('OpenID Connect with pushed requests (RFC 9126)', (group) => {
  group.each.setup(isolate)

  test('a max_age that is no number of seconds is refused when it is pushed', async ({
    assert,
  }) => {
    await useBoth()
    const client = await registerRelyingParty()
    const { status, body } = await push(client, { scope: SCOPE, max_age: 'an hour' })
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_request')
  })

  test('what was pushed of OpenID Connect counts, and nothing that the browser brings', async ({
    assert,
  }) => {
    await useBoth()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty()
    const { verifier, challenge } = createPkce()
    const uri = await pushed(client, { scope: SCOPE, nonce: 'pushed', code_challenge: challenge })
    const page = await openPushed(visitor, client, uri, '&nonce=forged&max_age=0')
    const claims = await answerOf(visitor, page, client, verifier)
    assert.equal(claims.nonce, 'pushed')
  })

  test('request objects are refused where they are pushed', async ({ assert }) => {
    await useBoth()
    const client = await registerRelyingParty()
    const { status, body } = await push(client, { scope: SCOPE, request: 'e30.e30.' })
    assert.equal(status, 400)
    assert.equal(body.error, 'request_not_supported')
  })

  test('a reference that nobody pushed is refused as one, and not as an unsupported parameter', async ({
    assert,
  }) => {
    await useBoth()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty()
    const headers = { accept: 'application/json' }
    const answer = await visitor.get(referringPath(client, UNKNOWN), { headers })
    assert.equal(((await answer.json()) as any).error, 'invalid_request_uri')
  })

  test('who has to sign in again for max_age comes back to the request, which is content', async ({
    assert,
  }) => {
    await useBoth()
    const tick = stopClock()
    const { visitor, user } = await signedIn()
    const client = await registerRelyingParty()
    const { verifier, challenge } = createPkce()
    tick(30)
    const uri = await pushed(client, { scope: SCOPE, max_age: '10', code_challenge: challenge })
    const again = await press(visitor, await openPushed(visitor, client, uri), 'switch')
    await visitor.get(again, { headers: HTML })
    await visitor.get('/login', { headers: HTML })
    const back = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    const page = await visitor.get(back.headers.get('location')!, { headers: HTML })
    const claims = await answerOf(visitor, page, client, verifier)
    assert.equal(claims.sub, String(user.id))
  })

  test('choosing an account leads back to the pushed request, which does not ask again', async ({
    assert,
  }) => {
    await useBoth()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty()
    const { verifier, challenge } = createPkce()
    const uri = await pushed(client, {
      scope: SCOPE,
      nonce: 'kept',
      prompt: 'select_account',
      code_challenge: challenge,
    })
    const location = await press(visitor, await openPushed(visitor, client, uri), 'select')
    assert.include(location, 'request_uri=')
    assert.notInclude(location, 'nonce')
    const page = await visitor.get(location, { headers: HTML })
    const claims = await answerOf(visitor, page, client, verifier)
    assert.equal(claims.nonce, 'kept')
  })
})
