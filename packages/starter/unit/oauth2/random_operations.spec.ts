import { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import fc from 'fast-check'
import db from '@adonisjs/lucid/services/db'

import { UserFactory } from '#database/factories/user_factory'
import {
  type ClientRepository,
  InMemoryClientRepository,
  OrmClientRepository,
} from '#kit/oauth2/clients/client_repository'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import type { TokenStore } from '#kit/oauth2/tokens/token_store'
import {
  type Fields,
  credentials,
  isolate,
  redemption,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { type Answer, OAuthCalls } from '#starter/helpers/oauth_calls'
import {
  type Prediction,
  CLIENTS,
  KNOWN_SCOPES,
  OAuthModel,
  TTL,
} from '#starter/helpers/oauth_model'
import { stopClock } from '#starter/helpers/time'

const STORES: {
  name: string
  tokens: () => TokenStore
  clients: () => ClientRepository
  runs: number
}[] = [
  {
    name: 'memory',
    tokens: () => new MemoryTokenStore(),
    clients: () => new InMemoryClientRepository(),
    runs: 80,
  },
  {
    name: 'database',
    tokens: () => new DatabaseTokenStore(() => db.connection()),
    clients: () => new OrmClientRepository(() => db.connection()),
    runs: 40,
  },
]

const USERS = 2
const MAX_OPERATIONS = 40
const assert = new Assert()

interface Real extends OAuthCalls {
  advance: (seconds: number) => void
}

/** One operation, which has to be answered as the model predicts and to leave alive what it predicts. */
class Operation implements fc.AsyncCommand<OAuthModel, Real> {
  constructor(
    readonly text: string,
    readonly operation: {
      check?: (model: OAuthModel) => boolean
      call: (real: Real, model: OAuthModel) => Promise<Answer>
      predict: (model: OAuthModel) => Prediction
    }
  ) {}

  check(model: OAuthModel) {
    return this.operation.check?.(model) ?? true
  }

  async run(model: OAuthModel, real: Real) {
    const given = await this.operation.call(real, model)
    const predicted = this.operation.predict(model)
    if ('error' in given || typeof predicted === 'string') {
      assert.deepEqual(given, { error: predicted }, `answer to ${this}`)
    } else {
      predicted(given.body)
    }
    await assertAlive(model, real, `after ${this}`)
  }

  toString() {
    return this.text
  }
}

/** Guard and introspection say of every token what the model says. */
async function assertAlive(model: OAuthModel, real: Real, after: string) {
  for (const [i, pair] of model.pairs.entries()) {
    const scope = pair.scopes.join(' ')
    const isAlive = model.isAccessAlive(pair)
    const token = `access token ${i} ${after}`
    assert.equal(await real.opens(pair.access), isAlive, `guard: ${token}`)
    assert.equal(await real.introspect(pair.access), isAlive ? scope : null, token)
    if (pair.refresh !== null) {
      const expected = model.isRefreshAlive(pair) ? scope : null
      assert.equal(await real.introspect(pair.refresh), expected, `refresh token ${i} ${after}`)
    }
  }
}

const pick = <Item>(items: Item[], index: number): Item => items.at(-1 - (index % items.length))!
const refreshable = (model: OAuthModel) => model.pairs.filter(({ refresh }) => refresh !== null)

/* What operations are about; an index counts back from the newest, which is usual, and around. */
const index = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat(MAX_OPERATIONS) }
)
const client = fc.nat(CLIENTS.length - 1)
const user = fc.nat(USERS - 1)
const granted = fc.subarray(KNOWN_SCOPES.slice(0, 2), { minLength: 1 })
const requested = fc.oneof(
  { weight: 8, arbitrary: fc.constant([] as string[]) },
  { weight: 3, arbitrary: granted },
  { weight: 1, arbitrary: fc.subarray(KNOWN_SCOPES, { minLength: 1 }) },
  { weight: 1, arbitrary: fc.subarray([...KNOWN_SCOPES, 'nonsense'], { minLength: 1 }) }
)
/** Most often right, so that most operations get past it. */
const rarely = <Value, Other>(usual: Value, other: Other) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constant(other) }
  )
/** The client that something belongs to, or any. */
const presenter = fc.oneof(
  { weight: 6, arbitrary: fc.constant('own' as const) },
  { weight: 1, arbitrary: client }
)
const resolve = (who: 'own' | number, owned: { client: number }) =>
  who === 'own' ? owned.client : who

const issueCode = fc.tuple(client, user, granted).map(
  ([c, u, scopes]) =>
    new Operation(`issueCode(client ${c}, user ${u}, [${scopes}])`, {
      check: (model) => !model.revokedClients.has(c) && !model.inactiveUsers.has(u),
      call: async (real, model) => {
        model.addCode(await real.issueCode(c, u, scopes))
        return { body: null }
      },
      predict: () => () => {},
    })
)

const redeem = fc.tuple(index, presenter, rarely(true, false), rarely(true, false)).map(
  ([i, who, verifier, redirectUri]) =>
    new Operation(
      `redeem(code ${i}, client ${who}${verifier ? '' : ', wrong verifier'}${redirectUri ? '' : ', wrong redirect_uri'})`,
      {
        check: ({ codes }) => codes.length > 0,
        call: (real, { codes }) => {
          const code = pick(codes, i)
          const wrong: Fields = {
            ...(!verifier && { code_verifier: 'x'.repeat(43) }),
            ...(!redirectUri && { redirect_uri: 'https://client.example.com/' }),
          }
          return real.token(redemption(real.clients[resolve(who, code)]!, code, wrong))
        },
        predict: (model) => {
          const code = pick(model.codes, i)
          return model.redeem(code, resolve(who, code), { verifier, redirectUri })
        },
      }
    )
)

const clientCredentials = fc.tuple(client, requested).map(
  ([c, scopes]) =>
    new Operation(`clientCredentials(client ${c}, [${scopes}])`, {
      call: (real) =>
        real.token({
          grant_type: 'client_credentials',
          scope: scopes.join(' '),
          ...credentials(real.clients[c]!),
        }),
      predict: (model) => model.clientCredentials(c, scopes),
    })
)

const refresh = fc
  .tuple(
    index,
    fc.oneof(
      { weight: 8, arbitrary: presenter },
      { weight: 1, arbitrary: fc.constant('nobody' as const) }
    ),
    rarely(true, false),
    requested
  )
  .map(([i, who, goodSecret, scopes]) => {
    const secret = goodSecret ? '' : ', wrong secret'
    return new Operation(`refresh(token ${i}, client ${who}${secret}, [${scopes}])`, {
      check: (model) => refreshable(model).length > 0,
      call: (real, model) => {
        const { refresh: token, family } = pick(refreshable(model), i)
        const caller = who === 'nobody' ? null : real.clients[resolve(who, family)]!
        return real.token(
          refreshing(caller, token!, {
            scope: scopes.join(' '),
            ...(caller && !goodSecret && { client_secret: 'wrong' }),
          })
        )
      },
      predict: (model) => {
        const token = pick(refreshable(model), i)
        const caller = who === 'nobody' ? null : resolve(who, token.family)
        return model.refresh(token, caller, goodSecret, scopes)
      },
    })
  })

const revokeToken = fc.tuple(index, presenter, fc.constantFrom('access', 'refresh')).map(
  ([i, who, kind]) =>
    new Operation(`revokeToken(${kind} token ${i}, client ${who})`, {
      check: ({ pairs }) => pairs.length > 0,
      call: (real, { pairs }) => {
        const { access, refresh: refreshToken, family } = pick(pairs, i)
        return real.revoke({
          token: kind === 'refresh' ? (refreshToken ?? access) : access,
          ...credentials(real.clients[resolve(who, family)]!),
        })
      },
      predict: (model) => {
        const pair = pick(model.pairs, i)
        return model.revokeToken(pair, resolve(who, pair.family))
      },
    })
)

const revokeOfUser = fc.tuple(index, user).map(
  ([i, u]) =>
    new Operation(`revokeOfUser(token ${i}, user ${u})`, {
      check: ({ pairs, inactiveUsers }) => pairs.length > 0 && !inactiveUsers.has(u),
      call: (real, { pairs }) => real.revokeOfUser(u, pick(pairs, i).access),
      predict: (model) => model.revokeOfUser(pick(model.pairs, i), u),
    })
)

const revokeAllOfUser = user.map(
  (u) =>
    new Operation(`revokeAllOfUser(user ${u})`, {
      check: ({ inactiveUsers }) => !inactiveUsers.has(u),
      call: (real) => real.revokeAllOfUser(u),
      predict: (model) => model.revokeAllOfUser(u),
    })
)

const revokeClient = client.map(
  (c) =>
    new Operation(`revokeClient(client ${c})`, {
      call: (real) => real.revokeClient(c),
      predict: (model) => model.revokeClient(c),
    })
)

const deactivate = user.map(
  (u) =>
    new Operation(`deactivate(user ${u})`, {
      check: ({ inactiveUsers }) => !inactiveUsers.has(u),
      call: (real) => real.activate(u, false),
      predict: ({ inactiveUsers }) => {
        return () => void inactiveUsers.add(u)
      },
    })
)

const activate = user.map(
  (u) =>
    new Operation(`activate(user ${u})`, {
      check: ({ inactiveUsers }) => inactiveUsers.has(u),
      call: (real) => real.activate(u, true),
      predict: ({ inactiveUsers }) => {
        return () => void inactiveUsers.delete(u)
      },
    })
)

const letTimePass = fc
  .oneof(
    { weight: 1, arbitrary: fc.constant(1) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        TTL.code - 1,
        TTL.access,
        TTL.refresh / 2 + TTL.access,
        TTL.refresh
      ),
    }
  )
  .map(
    (seconds) =>
      new Operation(`letTimePass(${seconds})`, {
        call: async (real, model) => {
          real.advance(seconds)
          model.clock += seconds
          return { body: null }
        },
        predict: () => () => {},
      })
  )

const purge = fc.constant(
  new Operation('purge()', {
    call: (real) => real.purge(),
    predict: (model) => model.purge(),
  })
)

/* The more often something is in the list, the more often it is done. */
const often = <Item>(times: number, ...items: Item[]) => Array(times).fill(items).flat() as Item[]
const OPERATIONS = [
  ...often(12, redeem),
  ...often(18, refresh),
  ...often(8, issueCode),
  ...often(4, letTimePass, purge, activate),
  ...often(2, clientCredentials, revokeToken, revokeOfUser),
  ...often(1, deactivate, revokeAllOfUser, revokeClient),
]

test.group('OAuth | random operations', (group) => {
  group.each.setup(isolate)

  for (const { name, tokens, clients, runs } of STORES) {
    test(`codes and tokens over the ${name} store live as a small model's`, async () => {
      const server = await useConfig(
        { issuer: 'https://auth.example.com' },
        { tokens: tokens(), clients: clients() }
      )
      const users = await UserFactory.createMany(USERS)
      const advance = stopClock()

      const setup = async () => {
        const registered = []
        for (const { confidential, refreshes } of CLIENTS) {
          const grantTypes = refreshes ? [] : ['authorization_code', 'client_credentials']
          registered.push(await registerClient({ confidential, grantTypes }))
        }
        const real = new OAuthCalls(server, registered, await registerClient(), users)
        await Promise.all(users.map((_, u) => real.activate(u, true)))
        return { model: new OAuthModel(), real: Object.assign(real, { advance }) }
      }
      /* A failure prints its seed and path: given as options here, they repeat it. */
      await fc.assert(
        fc.asyncProperty(
          fc.commands(OPERATIONS, { size: 'max', maxCommands: MAX_OPERATIONS }),
          async (operations) => fc.asyncModelRun(setup, operations)
        ),
        { numRuns: runs }
      )
    }).timeout(60_000)
  }
})
