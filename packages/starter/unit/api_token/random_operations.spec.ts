import testUtils from '@adonisjs/core/services/test_utils'
import { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import fc from 'fast-check'

import { UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { Refusal } from '#kit/auth/outcome'
import type { Users } from '#kit/auth/users'
import type { ApiTokenService } from '#kit/api_token/api_token_service'
import { REPOSITORIES, createService } from '#starter/helpers/fixtures/api_tokens'
import { authManager } from '#starter/helpers/passwords'
import { stopClock } from '#starter/helpers/time'

const USERS = 3
const RUNS = 30
const assert = new Assert()

/** Instants are seconds. */
interface Model {
  clock: number
  tokens: { id: string; plainText: string; user: number; expiresAt: number | null; gone: boolean }[]
  users: ('active' | 'inactive' | 'gone')[]
}

interface Real {
  service: ApiTokenService
  provider: Users
  users: User[]
  advance: (seconds: number) => void
}

const isUnexpired = ({ clock }: Model, { gone, expiresAt }: Model['tokens'][number]) =>
  !gone && (expiresAt === null || clock < expiresAt)

/** One operation, after which every token is accepted or not as the model says. */
class Operation implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly text: string,
    readonly check: (model: Model) => boolean,
    readonly operate: (model: Model, real: Real) => Promise<void>
  ) {}

  async run(model: Model, real: Real) {
    await this.operate(model, real)
    for (const [i, token] of model.tokens.entries()) {
      const verified = await real.service.verify(token.plainText, real.provider)
      const isAlive = isUnexpired(model, token) && model.users[token.user] === 'active'
      assert.equal(!(verified instanceof Refusal), isAlive, `token ${i} after ${this}`)
      /* Its owner gone, a token is deleted where it is presented. */
      if (model.users[token.user] === 'gone' && isUnexpired(model, token)) {
        token.gone = true
      }
    }
    await real.service.settled()
  }

  toString() {
    return this.text
  }
}

const always = () => true
const user = fc.nat(USERS - 1)

const create = fc.tuple(user, fc.constantFrom(null, 1, 60, 3600)).map(
  ([u, seconds]) =>
    new Operation(
      `create(user ${u}, ${seconds})`,
      ({ users }) => users[u] !== 'gone',
      async ({ clock, tokens }, { service, provider, users }) => {
        const expiresAt = seconds === null ? null : new Date(Date.now() + seconds * 1000)
        const created = await service.create(provider, users[u]!, { expiresAt })
        const { plainText, details } = created
        const expires = seconds === null ? null : clock + seconds
        tokens.push({ id: details.id, plainText, user: u, expiresAt: expires, gone: false })
      }
    )
)

const revoke = fc.nat(20).map(
  (i) =>
    new Operation(
      `revoke(token ${i})`,
      ({ tokens }) => tokens.length > 0,
      async ({ tokens }, { service }) => {
        const token = tokens[i % tokens.length]!
        assert.equal(await service.revoke(token.id), !token.gone)
        token.gone = true
      }
    )
)

const revokeAll = user.map(
  (u) =>
    new Operation(`revokeAll(user ${u})`, always, async ({ tokens }, { service, ...real }) => {
      const owned = tokens.filter((token) => token.user === u && !token.gone)
      const count = await service.revokeAll(real.provider, String(real.users[u]!.id))
      assert.equal(count, owned.length)
      owned.forEach((token) => (token.gone = true))
    })
)

const list = user.map(
  (u) =>
    new Operation(`list(user ${u})`, always, async (model, { service, provider, users }) => {
      const expected = model.tokens.filter((t) => t.user === u && isUnexpired(model, t))
      const listed = await service.list(provider, String(users[u]!.id))
      assert.sameMembers(
        listed.map(({ id }) => id),
        expected.map(({ id }) => id)
      )
    })
)

const changeUser = fc
  .tuple(user, fc.constantFrom('active', 'active', 'inactive', 'inactive', 'gone'))
  .map(
    ([u, state]) =>
      new Operation(
        `changeUser(user ${u}, ${state})`,
        ({ users }) => users[u] !== 'gone',
        async (model, { users }) => {
          const row = User.query().where('id', users[u]!.id)
          await (state === 'gone' ? row.delete() : row.update({ isActive: state === 'active' }))
          model.users[u] = state as Model['users'][number]
        }
      )
  )

const letTimePass = fc.constantFrom(1, 59, 3600).map(
  (seconds) =>
    new Operation(`letTimePass(${seconds})`, always, async (model, { advance }) => {
      advance(seconds)
      model.clock += seconds
    })
)

const purge = fc.constant(
  new Operation('purge()', always, async (model, { service }) => {
    const expired = model.tokens.filter((token) => !token.gone && !isUnexpired(model, token))
    await service.purge()
    expired.forEach((token) => (token.gone = true))
  })
)

const OPERATIONS = [create, create, create, revoke, revokeAll, list, changeUser, letTimePass, purge]

const STORES = REPOSITORIES.filter(({ connection }) => connection === undefined)

for (const { name, create: createRepository } of STORES) {
  test.group(`API tokens | random operations (${name})`, (group) => {
    group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

    test('tokens live as a small model’s', async () => {
      const service = createService({}, createRepository())
      const provider = (await authManager()).users('users')
      const advance = stopClock()
      const setup = async () => ({
        model: { clock: 0, tokens: [], users: Array(USERS).fill('active') } as Model,
        real: { service, provider, users: await UserFactory.createMany(USERS), advance },
      })
      /* A failure prints its seed and path: given as options here, they repeat it. */
      await fc.assert(
        fc.asyncProperty(
          fc.commands(OPERATIONS, { size: 'max', maxCommands: 30 }),
          async (operations) => fc.asyncModelRun(setup, operations)
        ),
        { numRuns: RUNS }
      )
    }).timeout(60_000)
  })
}
