import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import type User from '#models/user'
import Comment from '#models/comment'
import Post from '#models/post'
import { Passkey } from '#kit/passkeys/database'
import SocialIdentity from '#kit/social/models/social_identity'
import { openPending } from '#starter/helpers/consent'
import { runScript } from '#starter/helpers/server_process'
import { book, pageOf } from '#starter/helpers/fixtures/mcp/asks_on_page'
import { isolate, obtainTokens, opens, registerClient } from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'
import { keyOf, team, workspacesOf } from '#starter/helpers/workspaces'

/*
| Every route of the application is asked without credentials, and every route that names a thing by a
| parameter with another person's. A new route is in one of these lists, or it refuses strangers.
*/

/** Routes that are for everybody: a route says so here, with what it asks for instead of a person. */
const PUBLIC = [
  /* The same for everybody. */
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/*',
  'GET /',
  'GET /user/:id',
  'POST /user',
  'GET /openapi.json',
  'GET /health',
  'GET /health/ready',
  'GET /health/live',
  'GET /posts',
  'GET /posts/:id',
  'GET /docs/:name',
  'GET /favicon.svg',
  'GET /favicon.ico',
  'GET /manifest.webmanifest',
  'GET /.well-known/change-password',
  'POST /language',
  /* In development alone. */
  'GET /openapi',
  'GET /openapi/start.js',
  'GET /openapi/swagger-ui.css',
  'GET /openapi/swagger-ui-bundle.js',
  'GET /dev/mails',
  'GET /dev/mails/:name',
  /* How somebody becomes a person here. */
  'GET /register',
  'POST /register',
  'GET /login',
  'POST /login',
  'POST /logout',
  'GET /login/two-factor',
  'POST /login/two-factor',
  'GET /login/code',
  'POST /login/code',
  'POST /login/code/verify',
  'POST /login/passkey/options',
  'POST /login/passkey',
  /* Providers say who somebody is; the state, or the link of a mail, counts in the browser that began. */
  'POST /auth/:name',
  'GET /auth/:name/callback',
  'POST /auth/:name/callback',
  'GET /auth/address',
  'POST /auth/:name/backchannel-logout',
  /* Links of mails are the proof. */
  'POST /password/email',
  'POST /password/reset',
  'GET /password/forgot',
  'GET /password/reset',
  'GET /email/verify',
  'POST /email/verify',
  'GET /email/verify/:id',
  'POST /email/verify/:id',
  /* Clients prove who they are in the body. */
  'POST /oauth/token',
  'POST /token',
  'POST /oauth/introspect',
  'POST /oauth/revoke',
  'POST /oauth/register',
  'POST /oauth/par',
  'POST /oauth/device_authorization',
  /* Says what is wrong with the client first, and asks for a person then. */
  'GET /oauth/authorize',
  /* MCP servers that anybody may call; other methods than POST are 405 everywhere. */
  'POST /mcp',
  ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) => [
    `${method} /mcp`,
    `${method} /mcp/account`,
  ]),
]

/** Routes with a parameter that every signed-in person may use. */
const SHARED = [
  'POST /confirm/social/:name',
  'POST /account/sign-in-methods/link/:name',
  'GET /api/posts/:id',
  'GET /api/posts/:id/author',
  'GET /api/posts/:id/relationships/author',
  'GET /api/posts/:id/comments',
  'GET /api/posts/:id/relationships/comments',
]

interface Owner {
  user: User
  visitor: Visitor
}

/** A thing of its owner: what the parameter says, and whether it is still there. */
interface Thing {
  id: string
  isThere: () => Promise<boolean>
  /** What another person could send about it. */
  json?: unknown
}

const things = {
  async session({ visitor }: Owner): Promise<Thing> {
    const body = (await (await visitor.get('/account/sessions')).json()) as any
    const isThere = async () => (await visitor.get('/api/me')).status === 200
    return { id: body.sessions[0].id, isThere }
  },

  async apiToken({ user }: Owner): Promise<Thing> {
    const { details } = await ApiToken.create(user, { name: 'of the owner' })
    return { id: String(details.id), isThere: async () => (await ApiToken.tokens(user)).length > 0 }
  },

  async personalAccessToken({ visitor }: Owner): Promise<Thing> {
    const json = { name: 'of the owner' }
    const made = await visitor.send('/oauth/personal-access-tokens', json)
    const { jti, access_token: token } = (await made.json()) as any
    return { id: jti, isThere: () => opens(token) }
  },

  async accessToken({ visitor }: Owner): Promise<Thing> {
    const { access_token: token } = await obtainTokens(visitor, await registerClient())
    return { id: decodeJwt(token).jti!, isThere: () => opens(token) }
  },

  async connectedApp({ visitor }: Owner): Promise<Thing> {
    const { access_token: token } = await obtainTokens(visitor, await registerClient())
    const body = (await (await visitor.get('/api/connected-apps')).json()) as any
    const [{ id }] = Array.isArray(body) ? body : (Object.values(body)[0] as any)
    return { id, isThere: () => opens(token) }
  },

  async passkey({ user }: Owner): Promise<Thing> {
    const passkey = await Passkey.create({
      userId: String(user.id),
      provider: 'users',
      name: 'of the owner',
      credentialId: `credential of ${user.id}`,
      publicKey: 'none',
      counter: 0,
      transports: '[]',
      createdAt: Date.now(),
    } as any)
    const isThere = async () => (await Passkey.find(passkey.id))?.name === 'of the owner'
    return { id: String(passkey.id), isThere }
  },

  async identity({ user }: Owner): Promise<Thing> {
    const identity = await SocialIdentity.create({
      userId: String(user.id),
      provider: 'users',
      name: 'google',
      issuer: 'https://accounts.google.com',
      subject: `of ${user.id}`,
      email: user.email,
      passwordMark: null,
      createdAt: Date.now(),
      lastUsedAt: Date.now(),
    })
    const isThere = async () => (await SocialIdentity.find(identity.id)) !== null
    return { id: String(identity.id), isThere }
  },

  async pendingAuthorization({ visitor }: Owner): Promise<Thing> {
    const id = await openPending(visitor, await registerClient())
    const isThere = async () => (await visitor.get(`/oauth/authorizations/${id}`)).status === 200
    return { id, isThere }
  },

  async post({ user }: Owner): Promise<Thing> {
    const post = await PostFactory.merge({ userId: user.id, title: 'of the owner' }).create()
    const isThere = async () => {
      const row = await Post.find(post.id)
      return row?.title === 'of the owner' && row.userId === user.id
    }
    return { id: String(post.id), isThere }
  },

  async workspace({ user }: Owner): Promise<Thing> {
    const { id, slug } = await team(user)
    const isThere = async () => {
      const workspaces = await workspacesOf()
      const own = (await workspaces.list(await keyOf(user))).find((one) => one.id === id)
      return own?.name === 'Team' && own.role === 'owner' && own.deletedAt === null
    }
    return { id: slug, isThere }
  },

  async deletedWorkspace({ user }: Owner): Promise<Thing> {
    const workspaces = await workspacesOf()
    const { id } = await team(user)
    await workspaces.delete(id)
    const isThere = async () => {
      const list = await workspaces.list(await keyOf(user))
      return list.some((one) => one.id === id && one.deletedAt !== null)
    }
    return { id: String(id), isThere }
  },

  async invitation({ user }: Owner): Promise<Thing> {
    const { invitations } = await workspacesOf()
    const { id: workspaceId } = await team(await UserFactory.create())
    const id = await invitations.create(workspaceId, user.email, 'member')
    const isThere = async () => (await invitations.list(workspaceId)).length === 1
    return { id, isThere }
  },
}

/** A question of a tool; an answer to it would let the next call through. */
async function question({ user }: Owner): Promise<Thing> {
  const path = pageOf(await book(user.id))
  const isThere = async () => (await book(user.id)).error !== undefined
  return { id: path.split('/').at(-1)!, isThere }
}

/** A comment of its owner under a post: other people may write and remove comments of their own there. */
async function comment(owner: Owner): Promise<Thing> {
  const post = await PostFactory.merge({ userId: owner.user.id }).create()
  const made = await CommentFactory.merge({ userId: owner.user.id, postId: post.id }).create()
  return {
    id: String(post.id),
    isThere: async () => (await Comment.find(made.id))?.userId === owner.user.id,
    json: { data: [{ type: 'comments', id: String(made.id) }] },
  }
}

const linkage = { data: { type: 'users', id: '1' } }
const newTitle = (id: string) => ({ data: { type: 'posts', id, attributes: { title: 'taken' } } })

/** Routes whose parameter names a thing of one person, and what another one could send there. */
const OWNED: Record<
  string,
  {
    thing: (owner: Owner) => Promise<Thing>
    json?: (id: string) => unknown
    /** Where the answer tells nobody whether there is such a thing. */
    answersAlike?: boolean
  }
> = {
  'GET /mcp/questions/:handle': { thing: question },
  'POST /mcp/questions/:handle': { thing: question },
  'POST /mcp/questions/:handle/decline': { thing: question },
  'DELETE /account/sessions/:id': { thing: things.session },
  'POST /account/sessions/:id/end': { thing: things.session },
  'POST /account/tokens/:id/revoke': { thing: things.apiToken },
  'DELETE /api/tokens/:id': { thing: things.apiToken },
  'POST /account/access-tokens/:jti/revoke': {
    thing: things.personalAccessToken,
    answersAlike: true,
  },
  'DELETE /oauth/personal-access-tokens/:jti': {
    thing: things.personalAccessToken,
    answersAlike: true,
  },
  'DELETE /oauth/tokens/:jti': { thing: things.accessToken, answersAlike: true },
  'POST /account/connected-apps/:id/disconnect': { thing: things.connectedApp },
  'DELETE /account/connected-apps/:id': { thing: things.connectedApp },
  'DELETE /api/connected-apps/:id': { thing: things.connectedApp },
  'POST /account/passkeys/:id': { thing: things.passkey, json: () => ({ name: 'taken' }) },
  'POST /account/passkeys/:id/remove': { thing: things.passkey },
  'DELETE /account/passkeys/:id': { thing: things.passkey },
  'POST /account/sign-in-methods/:id/remove': { thing: things.identity },
  'DELETE /account/sign-in-methods/:id': { thing: things.identity },
  'GET /oauth/authorizations/:handle': { thing: things.pendingAuthorization },
  'POST /oauth/authorizations/:handle/approve': { thing: things.pendingAuthorization },
  'POST /oauth/authorizations/:handle/deny': { thing: things.pendingAuthorization },
  'POST /oauth/authorizations/:handle/switch': { thing: things.pendingAuthorization },
  'PATCH /api/posts/:id': { thing: things.post, json: newTitle },
  'DELETE /api/posts/:id': { thing: things.post },
  'POST /api/posts/:id/relationships/author': { thing: things.post, json: () => linkage },
  'PATCH /api/posts/:id/relationships/author': { thing: things.post, json: () => linkage },
  'DELETE /api/posts/:id/relationships/author': { thing: things.post, json: () => linkage },
  'POST /api/posts/:id/relationships/comments': { thing: comment, answersAlike: true },
  'PATCH /api/posts/:id/relationships/comments': { thing: comment },
  'DELETE /api/posts/:id/relationships/comments': { thing: comment },
  'POST /workspaces/:id/restore': { thing: things.deletedWorkspace },
  'GET /invitations/:token': { thing: things.invitation },
  'POST /invitations/:token': { thing: things.invitation },
  'POST /w/:slug': { thing: things.workspace, json: () => ({ name: 'taken' }) },
  ...Object.fromEntries(
    [
      'GET /w/:slug',
      'GET /w/:slug/log',
      'POST /w/:slug/leave',
      'POST /w/:slug/transfer',
      'POST /w/:slug/delete',
      'POST /w/:slug/members/:id',
      'POST /w/:slug/members/:id/remove',
      'POST /w/:slug/invitations',
      'GET /w/:slug/providers',
      'POST /w/:slug/providers',
      'POST /w/:slug/providers/:id/verify',
      'POST /w/:slug/providers/:id/enforce',
      'POST /w/:slug/providers/:id/remove',
      'POST /w/:slug/invitations/:id/revoke',
    ].map((route) => [route, { thing: things.workspace }])
  ),
}

/** The routes of the application, as `METHOD pattern`, without those that tests add. */
async function routes(): Promise<string[]> {
  const { stdout } = await runScript('ace.js', ['list:routes', '--json'])
  const domains = JSON.parse(stdout.slice(stdout.indexOf('['))) as {
    routes: { methods: string[]; pattern: string }[]
  }[]
  return domains.flatMap((domain) =>
    domain.routes.flatMap(({ methods, pattern }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${pattern}`)
    )
  )
}

const split = (route: string) => route.split(' ') as [method: string, pattern: string]
const address = (pattern: string, id: string) => pattern.replace(/:\w+/, id)

test.group('Strangers', (group) => {
  let all: string[]
  group.setup(async () => {
    all = await routes()
  })
  group.each.setup(isolate)

  test('get nothing from a route that is not public, as programs or as people', async ({
    assert,
  }) => {
    assert.isAbove(all.length, 20)
    for (const route of all.filter((one) => !PUBLIC.includes(one))) {
      const [method, pattern] = split(route)
      for (const accept of ['application/json', 'text/html']) {
        const response = await new Visitor().request(method, address(pattern, '1'), {
          headers: { accept },
          ...(method !== 'GET' && { json: {} }),
        })
        const location = response.headers.get('location')
        const isSentToSignIn =
          location !== null && new URL(location, 'http://x').pathname === '/login'
        assert.isTrue(
          isSentToSignIn || [401, 403, 404].includes(response.status),
          `${route} (${accept}) answers ${response.status}: it has to refuse who is not signed in, or to be in PUBLIC`
        )
      }
    }
  })

  test('a route that names a thing says whose it is', ({ assert }) => {
    const known = [...PUBLIC, ...SHARED, ...Object.keys(OWNED)]
    assert.deepEqual(
      all.filter((route) => /[:*]/.test(route) && !known.includes(route)),
      [],
      'add these routes to OWNED, or to SHARED when every signed-in person may read them'
    )
  })

  test('get nothing of another person, and change nothing', async ({ assert }) => {
    for (const route of all.filter((one) => one in OWNED)) {
      const { thing, json, answersAlike } = OWNED[route]!
      const [method, pattern] = split(route)
      const { id, isThere, ...own } = await thing(await signedIn())
      const { visitor: stranger } = await signedIn()
      assert.isTrue(await isThere(), `${route}: there is something to take`)
      const response = await stranger.request(method, address(pattern, id), {
        csrf: true,
        headers: { accept: 'application/json' },
        ...(method !== 'GET' && { json: json?.(id) ?? own.json ?? {} }),
      })
      const refused = answersAlike ? [204, 302] : [403, 404]
      assert.include(refused, response.status, `${route}: ${await response.text()}`)
      assert.isTrue(await isThere(), `${route}: it is still there`)
    }
  })
})
