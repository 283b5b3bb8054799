import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { QUESTION_PAGE } from '#kit/mcp/tasks/page_questions'
import type { Call } from '#kit/mcp/protocol/call'
import { InputRequest } from '#kit/mcp/request'
import { DatabaseTaskStore, MemoryTaskStore } from '#kit/mcp/tasks/task_store'
import { Tasks } from '#kit/mcp/tasks/tasks'
import { SDKS } from '#starter/helpers/mcp_client'
import { url } from '#starter/helpers/mcp_wire'
import {
  asked,
  Book,
  book,
  OPENS_URLS,
  pageOf,
  PATH,
  TripsServer,
} from '#starter/helpers/fixtures/mcp/asks_on_page'
import { callerHeaders } from '#starter/helpers/fixtures/mcp/known_by_header'
import { replaceForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const HTML = { accept: 'text/html' }
const [NAME, EMAIL, DAY, SEATS, INSURED, CLASS, MEALS] = Array.from(
  { length: 7 },
  (_, position) => `form0_field${position}`
) as [string, string, string, string, string, string, string]
const GOOD = { [NAME]: 'Ann', [SEATS]: '3' }

/** Somebody whose client was sent to the page. */
async function sent() {
  const { user, visitor } = await signedIn()
  const path = pageOf(await book(user.id))
  return { user, visitor, path }
}

/** What the form of the page says of the question that it shows. */
async function versionOn(visitor: Visitor, path: string) {
  const html = await (await visitor.get(path, { headers: HTML })).text()
  return /name="version" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

/** Sends the form of the page, as it is shown. */
async function send(visitor: Visitor, path: string, fields: Record<string, string>, to = path) {
  const version = await versionOn(visitor, path)
  return visitor.post(to, { form: { version, ...fields }, headers: HTML, csrf: true })
}

const textOf = ({ result }: any): string => result.content[0].text
const answerIn = (body: any) => JSON.parse(textOf(body))

test.group('MCP questions | Older clients, on a page', (group) => {
  group.each.setup(() => {
    asked.price = 10
  })

  test('{name}: the client is sent to the page, calls again and the tool has the answer')
    .with(SDKS.filter(({ name }) => ['SDK v1', 'SDK v2, legacy'].includes(name)))
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      const client = sdk.client({ elicitation: { url: {} } })
      const requestInit = { headers: callerHeaders(String(user.id)) }
      await client.connect(sdk.transport(url(PATH), { requestInit } as any))
      const call = () => client.callTool({ name: 'book', arguments: { to: 'Rome' } })
      const refusal: any = await call().catch((error: unknown) => error)
      assert.equal(refusal.code, -32042)
      const [elicitation] = refusal.data.elicitations
      assert.containsSubset(elicitation, { mode: 'url', message: 'Book the trip for 10 €?' })
      const { visitor } = await signedIn(user)
      await send(visitor, new URL(elicitation.url).pathname, GOOD)
      const { content }: any = await call()
      assert.equal(JSON.parse(content[0].text).content.name, 'Ann')
      await client.close()
    })

  test('the page says who asks and what, with a field for each property', async ({ assert }) => {
    const { visitor, path } = await sent()
    const response = await visitor.get(path, { headers: HTML })
    const html = await response.text()
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    for (const words of [
      'Book the trip for 10 €?',
      'Book a trip',
      'Trips &amp; more',
      'As in the passport',
      'First class',
      'lunch',
      'type="email"',
      'type="date"',
    ]) {
      assert.include(html, words)
    }
    assert.match(html, new RegExp(`name="${SEATS}"\\s+type="number"\\s+value="2"`))
    assert.match(html, /value="second"\s+selected/)
    assert.match(html, new RegExp(`name="${INSURED}" value="true"\\s+checked`))
  })

  test('the answer is in the next call of the same arguments, with the state, in the types of the schema', async ({
    assert,
  }) => {
    const { user, visitor, path } = await sent()
    const fields = {
      ...GOOD,
      [EMAIL]: 'a@b.example',
      [DAY]: '2026-01-31',
      [INSURED]: 'true',
      [CLASS]: 'first',
      [`${MEALS}[]`]: 'lunch',
    }
    const response = await send(visitor, path, fields)
    assert.equal(response.headers.get('location'), path)
    assert.include(
      await (await visitor.get(path, { headers: HTML })).text(),
      'Go back to your AI client'
    )
    assert.deepEqual(answerIn(await book(user.id)), {
      action: 'accept',
      content: {
        name: 'Ann',
        email: 'a@b.example',
        day: '2026-01-31',
        seats: 3,
        insured: true,
        class: 'first',
        meals: ['lunch'],
      },
      state: { price: 10 },
    })
  })

  test('it counts once, for these arguments and this caller', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    await send(visitor, path, GOOD)
    const other = await UserFactory.create()
    for (const body of [await book(user.id, 'Oslo'), await book(other.id)]) {
      assert.equal(body.error.code, -32042)
      assert.notEqual(pageOf(body), path)
    }
    const calls = await Promise.all([book(user.id), book(user.id)])
    assert.lengthOf(
      calls.filter(({ result }) => result),
      1
    )
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('a decline is an answer', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    await send(visitor, path, {}, `${path}/decline`)
    assert.deepEqual(answerIn(await book(user.id)), { action: 'decline', state: { price: 10 } })
  })

  test('what does not fit is said at its field, and nothing typed is lost', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    const cases: [Record<string, string>, string][] = [
      [{ [NAME]: '' }, 'This is required.'],
      [{ [NAME]: 'A' }, 'This must have at least 2 characters.'],
      [{ [EMAIL]: 'nobody' }, 'This is not a valid e-mail address.'],
      [{ [DAY]: 'tomorrow' }, 'This must be a date'],
      [{ [SEATS]: '5' }, 'This must be at most 4.'],
      [{ [SEATS]: '1.5' }, 'This must be a whole number.'],
      [{ [SEATS]: 'many' }, 'This must be a whole number.'],
      [{ [CLASS]: 'third' }, 'This does not fit.'],
    ]
    for (const [wrong, words] of cases) {
      const response = await send(visitor, path, { ...GOOD, [NAME]: 'Kept "name"', ...wrong })
      const html = await response.text()
      assert.equal(response.status, 422)
      assert.include(html, 'Correct what is marked.')
      assert.match(html, new RegExp(`id="${Object.keys(wrong)[0]}-note">${words}`))
      assert.include(html, wrong[NAME] === undefined ? 'Kept &quot;name&quot;' : 'value="3"')
    }
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('nobody else finds the page, and strangers sign in first', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    const { visitor: other } = await signedIn()
    assert.equal((await other.get(path, { headers: HTML })).status, 404)
    assert.equal((await other.post(path, { form: GOOD, headers: HTML, csrf: true })).status, 404)
    const stranger = await new Visitor().get(path, { headers: HTML })
    assert.equal(stranger.status, 302)
    assert.include(stranger.headers.get('location')!, '/login')
    assert.equal((await visitor.get(`${path}x`, { headers: HTML })).status, 404)
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('a question to somebody with an equal id of another user provider is not found', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const path = pageOf(await book(user.id, 'Rome', { ...OPENS_URLS, 'x-users': 'admins' }))
    const { visitor } = await signedIn(user)
    assert.equal((await visitor.get(path, { headers: HTML })).status, 404)
  })

  test('a form from elsewhere is refused, as is the token of a client', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    const version = await versionOn(visitor, path)
    const forged = await visitor.post(path, { form: { version, ...GOOD }, headers: HTML })
    assert.isAtLeast(forged.status, 302)
    const options = { form: { version, ...GOOD }, headers: HTML }
    const byClient = await (await Visitor.as(user)).post(path, options)
    assert.include(byClient.headers.get('location'), '/login')
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('an answer to a question that has changed is asked for again', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    const version = await versionOn(visitor, path)
    asked.price = 100
    assert.equal(pageOf(await book(user.id)), path)
    const options = { form: { version, ...GOOD }, headers: HTML, csrf: true }
    const response = await visitor.post(path, options)
    assert.equal(response.status, 409)
    const html = await response.text()
    assert.include(html, 'The question has changed in the meantime.')
    assert.include(html, 'Book the trip for 100 €?')
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('the first answer counts: a form that is sent again changes nothing', async ({ assert }) => {
    const { user, visitor, path } = await sent()
    const version = await versionOn(visitor, path)
    for (const name of ['Ann', 'Bob']) {
      const form = { version, ...GOOD, [NAME]: name }
      await visitor.post(path, { form, headers: HTML, csrf: true })
    }
    assert.equal(answerIn(await book(user.id)).content.name, 'Ann')
  })

  test('a question is another one by its words and by its state, and an answer outlives it', async ({
    assert,
  }) => {
    const tick = stopClock()
    const times = { taskTtl: 1000, taskTimeout: 1000, requestStateTtl: 1000 }
    const { questions } = new Tasks(new MemoryTaskStore(), times)
    const definition = { info: { name: 'a' } }
    const request = { method: 'tools/call', params: { name: 'book' } }
    const call = { definition, request, caller: { id: 'ann', person: 'ann' } } as unknown as Call
    const ask = async (words: string, state: unknown) => {
      const trip = InputRequest.elicit(words, { type: 'object', properties: {} })
      const handle = await questions.ask(call, Book, { requests: { trip }, state })
      return { handle, ...(await questions.find('ann', handle))! }
    }
    const shown = [await ask('Go?', 1), await ask('Go now?', 1), await ask('Go now?', 2)]
    assert.lengthOf(new Set(shown.map(({ version }) => version)), 3)
    const { handle, version } = shown[2]!
    const answer = { trip: { action: 'decline' } }
    for (const { version: older } of shown.slice(0, 2)) {
      assert.isFalse(await questions.answer('ann', handle, older, answer))
    }
    assert.isTrue(await questions.answer('ann', handle, version, answer))
    assert.isFalse((await ask('Go?', 3)).isOpen)
    assert.deepEqual(await questions.take(call), { state: 2, responses: answer })
    assert.isNull(await questions.take(call))
    const last = await ask('Go?', 4)
    tick(1)
    assert.isFalse(await questions.answer('ann', handle, last.version, answer))
  })

  test('a question and its answer end after ten minutes', async ({ assert }) => {
    const tick = stopClock()
    const { user, visitor, path } = await sent()
    await send(visitor, path, GOOD)
    tick(601)
    assert.equal((await visitor.get(path, { headers: HTML })).status, 404)
    assert.equal((await book(user.id)).error.code, -32042)
  })

  test('calls at the same moment are sent to one page, which any process shows', async ({
    assert,
  }) => {
    const { id } = await UserFactory.create()
    const pages = (await Promise.all([book(id), book(id), book(id)])).map(pageOf)
    assert.lengthOf(new Set(pages), 1)
    const times = { taskTtl: 1000, taskTimeout: 1000, requestStateTtl: 1000 }
    const elsewhere = new Tasks(new DatabaseTaskStore(() => db.connection()), times).questions
    const handle = pages[0]!.split('/').at(-1)!
    const question = await elsewhere.find(`users:${id}`, handle)
    const answer = { trip: { action: 'cancel' } }
    assert.isTrue(await elsewhere.answer(`users:${id}`, handle, question!.version, answer))
    assert.equal(answerIn(await book(id)).action, 'cancel')
  })

  test('no task id leads to a question, so a client cannot answer it', async ({ assert }) => {
    const { path } = await sent()
    const rows = await db.from('mcp_tasks').where('server', TripsServer.title!)
    assert.isNotEmpty(rows)
    for (const { id } of rows) {
      assert.match(id, /^question:/)
      assert.notInclude(id, path.split('/').at(-1)!)
    }
  })

  test('a client that opens no URLs has its model tell the person of the page', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const body = await book(user.id, 'Rome', {})
    assert.match(
      textOf(body),
      /Book the trip for 10 €\? They open http\S+\/mcp\/questions\/\S+ for it/
    )
    assert.match(textOf(body), /call again with the same arguments/)
  })

  test('without the route of the page the person needs a newer client', async ({ assert }) => {
    const has = router.has.bind(router)
    replaceForTest(router, 'has', (name, ...rest) => name !== QUESTION_PAGE && has(name, ...rest))
    const { result } = await book((await UserFactory.create()).id)
    assert.isTrue(result.isError)
    assert.match(textOf({ result }), /^This call needs input from the user, which takes a client/)
  })

  test('an anonymous caller is told that it takes a user', async ({ assert }) => {
    const { result } = await book(null)
    assert.isTrue(result.isError)
    assert.match(textOf({ result }), /takes a client that is signed in for a user/)
  })
})
