import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

import { Unauthenticated } from '#kit/auth/errors'
import type { GuardOptions } from '#kit/auth/guards/driver'
import { RequestGuard } from '#kit/auth/guards/guard'
import { Refusal } from '#kit/auth/outcome'
import { atomicOperations } from '#kit/json_api/atomic_operations'
import type { ResourceWrites } from '#kit/json_api/resource_writes'
import { isPortablePattern } from '#kit/mcp/definition/json_schema'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import {
  describeRoutes,
  PAGE,
  type Descriptions,
  type KnownRoute,
  type Validator,
} from '#kit/openapi/describe'
import { JsonApiRoutes } from '#kit/openapi/json_api_routes'
import { OpenApi } from '#kit/openapi/openapi'
import { schemaOf } from '#kit/openapi/request_body'
import { object, text } from '#kit/openapi/schemas'
import { viewerRoutes } from '#kit/openapi/viewer'
import { SessionService } from '#kit/session/session_service'
import { csrfExempt } from '#kit/http/route_marks'
import CommentResource from '#resources/comment_resource'
import { commentWrites } from '#services/post_writes'
import { middleware } from '#start/kernel'
import { openApiPage } from '#starter/documents/openapi'
import { createManager } from '#starter/helpers/fixtures/auth_manager'
import { replaceForTest } from '#starter/helpers/replace'
import { runScript } from '#starter/helpers/server_process'

const newRouter = () => new RouterFactory().merge({ app }).create()
type Router = ReturnType<typeof newRouter>

const handler = () => 'ok'
const summary = 'A note'

/** The description of an application that has these routes alone. */
async function describing(mount: (router: Router) => void, routes: Descriptions, more = {}) {
  const router = newRouter()
  mount(router)
  const { config } = await app.container.make(AuthorizationServer)
  const openapi = new OpenApi(true, async () => ({
    router,
    manager: await app.container.make('auth_manager'),
    sessions: await app.container.make(SessionService),
    oauth2: config,
    issuer: 'https://as.example.com',
    issuerPath: '',
    url: 'https://app.example.com',
    name: 'Notes',
    version: '2.0.0',
    ...more,
  }))
  return openapi.describe([async () => ({ default: describeRoutes('Notes', routes) })])
}

async function operation(path: string, method: string, openapi: OpenApi) {
  const { paths } = await openapi.document()
  return paths[path]![method] as any
}

test.group('OpenAPI | what is known', () => {
  test('openapi:check passes here', async ({ assert }) => {
    const { code, stdout } = await runScript('ace.js', ['openapi:check'])
    assert.include(stdout, 'Every route is described, or a page')
    assert.equal(code, 0)
  })

  test('a route without a description is unknown, a page and a described one are not', async ({
    assert,
  }) => {
    const openapi = await describing(
      (router) => {
        router.get('/notes', handler)
        router.post('/notes', handler)
        router.get('/page', handler)
        router.delete('/notes/:id', handler)
      },
      { 'GET /notes': { summary }, 'GET /page': PAGE }
    )
    assert.deepEqual(await openapi.unknown(), ['POST /notes', 'DELETE /notes/:id'])
    assert.deepEqual(Object.keys((await openapi.document()).paths), ['/notes'])
  })

  test('routes below the path of an issuer are those at the root', async ({ assert }) => {
    const openapi = await describing(
      (router) => void router.post('/tenant/notes', handler),
      { 'POST /notes': { summary } },
      { issuerPath: '/tenant' }
    )
    assert.deepEqual(await openapi.unknown(), [])
  })
})

test.group('OpenAPI | operations', () => {
  test('a validator gives the body: unknown fields are allowed, and booleans are booleans', async ({
    assert,
  }) => {
    const yes: Validator = { toJSONSchema: () => ({ enum: [true, 'on'] }) }
    const no: Validator = { toJSONSchema: () => ({ enum: [false, 'off'] }) }
    assert.deepEqual(
      [schemaOf(yes).enum, schemaOf(no).enum],
      [
        [true, 'on'],
        [false, 'off'],
      ]
    )
    const body = vine.create({ title: vine.string().maxLength(9), isPublic: vine.boolean() })
    const openapi = await describing((router) => void router.post('/notes', handler), {
      'POST /notes': { summary, body, fields: { title_confirmation: text } },
    })
    const { requestBody } = await operation('/notes', 'post', openapi)
    assert.deepEqual(requestBody.content['application/json'].schema, {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 9 },
        isPublic: { type: 'boolean' },
        title_confirmation: { type: 'string' },
      },
      required: ['title', 'isPublic', 'title_confirmation'],
    })
  })

  test('what a validator says of the id of a new resource, and of a date, is described', async ({
    assert,
  }) => {
    const day = vine.date().meta({ type: 'string', format: 'date' })
    const given = (id: any) =>
      vine.create({ data: vine.object({ id, attributes: vine.object({ day }) }) })
    const documentOf = async (body: Validator) => {
      const openapi = await describing(
        (router) => void router.post('/notes', handler).use(middleware.jsonApi()),
        { 'POST /notes': { summary, body } }
      )
      const { requestBody } = await operation('/notes', 'post', openapi)
      return requestBody.content['application/vnd.api+json'].schema.properties.data
    }
    const mayChoose = await documentOf(given(vine.string().uuid().optional()))
    assert.deepEqual(mayChoose.properties.id, { type: 'string', format: 'uuid' })
    assert.deepEqual(mayChoose.required, ['type', 'attributes'])
    assert.deepEqual(mayChoose.properties.attributes.properties.day, {
      type: 'string',
      format: 'date',
    })
    const { required } = await documentOf(given(vine.string().uuid()))
    assert.deepEqual(required, ['type', 'id', 'attributes'])
  })

  test('a JSON:API route without a parameter answers with a list, one whose name ends in "show" with a resource', async ({
    assert,
  }) => {
    const options = { resource: () => CommentResource }
    const openapi = await describing((router) => {
      const read = (path: string, more = {}) =>
        router.get(path, handler).use(middleware.jsonApi({ ...options, ...more }))
      read('/comments').as('comments.index')
      read('/last').as('last.show')
      read('/pages', { query: ['page'] }).as('pages.show')
      read('/unnamed')
    }, {})
    const isList = async (path: string) => {
      const { responses } = await operation(path, 'get', openapi)
      const { schema } = responses[200].content['application/vnd.api+json']
      return schema.properties.data.type === 'array'
    }
    const lists = await Promise.all(['/comments', '/last', '/pages', '/unnamed'].map(isList))
    assert.deepEqual(lists, [true, false, true, true])
  })

  test('atomic operations are described without a word about them, with their extension', async ({
    assert,
  }) => {
    const openapi = await describing((router) => {
      atomicOperations(router, { writes: [], jsonApi: middleware.jsonApi, use: [] })
    }, {})
    assert.deepEqual(await openapi.unknown(), [])
    const { requestBody, responses } = await operation('/operations', 'post', openapi)
    const type = `application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`
    assert.deepEqual(requestBody.content[type].schema.required, ['atomic:operations'])
    assert.deepEqual(responses[200].content[type].schema.required, ['atomic:results'])
    assert.notProperty(responses, '201')
  })

  test('a described route is said in full', async ({ assert }) => {
    const body = vine.create({ title: vine.string(), address: vine.string().email().optional() })
    const openapi = await describing(
      (router) => void router.post('/notes/:id/copies/*', handler).use(middleware.auth()),
      {
        'POST /notes/:id/copies/*': {
          summary,
          body,
          query: { draft: { type: 'boolean' } },
          answers: { 201: object({ title: text }), 204: null },
        },
      }
    )
    const { paths, ...document } = await openapi.document()
    assert.deepEqual(document.info, { title: 'Notes', version: '2.0.0' })
    assert.deepEqual(document.servers, [{ url: 'https://app.example.com' }])
    const inPath = { in: 'path', required: true, schema: { type: 'string' } }
    const error = (name: string) => ({ $ref: `#/components/responses/${name}` })
    assert.deepEqual(paths, {
      '/notes/{id}/copies/{path}': {
        post: {
          operationId: 'postNotesIdCopiesPath',
          tags: ['Notes'],
          summary,
          parameters: [
            { name: 'id', ...inPath },
            { name: 'path', ...inPath },
            { name: 'draft', in: 'query', schema: { type: 'boolean' } },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { title: { type: 'string' }, address: { type: 'string' } },
                  required: ['title'],
                },
              },
            },
          },
          security: [{ web: [], csrf: [] }],
          responses: {
            201: {
              description: 'Done',
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: { title: { type: 'string' } },
                    required: ['title'],
                    additionalProperties: false,
                  },
                },
              },
            },
            204: { description: 'Done' },
            401: error('Unauthenticated'),
            403: error('Forbidden'),
            422: error('Invalid'),
            429: error('TooMany'),
            503: error('Unavailable'),
            default: error('Failure'),
          },
        },
      },
    })
  })

  test('answers may be of another type, and those from 400 on are refusals', async ({ assert }) => {
    const openapi = await describing((router) => void router.get('/notes', handler), {
      'GET /notes': { summary, type: 'text/plain', answers: { 399: text, 400: text } },
    })
    const { responses } = await operation('/notes', 'get', openapi)
    const content = { 'text/plain': { schema: { type: 'string' } } }
    assert.deepEqual(responses[399], { description: 'Done', content })
    assert.deepEqual(responses[400], { description: 'Refused', content })
  })

  test('middleware gives the security: guards, scopes, and the CSRF token of sessions', async ({
    assert,
  }) => {
    const guards = ['oauth', 'api', 'web'] as const
    const scopes = middleware.scopes({ guards, scopes: ['posts:write'] })
    const openapi = await describing(
      (router) => {
        router.get('/notes', handler).use(middleware.auth())
        router.post('/notes', handler).use(scopes)
        router.patch('/notes', handler).use(middleware.optionalAuth({ guards: ['api'] }))
        router.put('/notes', handler).use([middleware.auth(), csrfExempt])
        router.delete('/notes', handler).use([middleware.auth(), middleware.confirmed()])
        router.get('/open', handler)
        router.post('/open', handler)
      },
      Object.fromEntries(
        ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
          .map((method) => `${method} /notes`)
          .concat('GET /open', 'POST /open')
          .map((route) => [route, { summary }])
      )
    )
    const of = async (method: string) => (await operation('/notes', method, openapi)).security
    assert.deepEqual(await of('get'), [{ web: [] }])
    assert.deepEqual(await of('post'), [
      { oauth: ['posts:write'] },
      { api: [] },
      { web: [], csrf: [] },
    ])
    assert.deepEqual(await of('patch'), [{ api: [] }, {}])
    assert.deepEqual(await of('put'), [{ web: [] }])
    const deletion = await operation('/notes', 'delete', openapi)
    assert.include(deletion.description, 'POST /confirm')
    assert.containsSubset(Object.keys(deletion.responses), ['401', '403', '429', '503', 'default'])
    assert.deepEqual((await openapi.document()).security, [])
    assert.notProperty(await operation('/open', 'get', openapi), 'security')
    const open = await operation('/open', 'post', openapi)
    assert.deepEqual(open.security, [{}, { csrf: [] }])
  })

  test('guards are described as schemes, OAuth with the addresses of its server', async ({
    assert,
  }) => {
    const { config } = await app.container.make(AuthorizationServer)
    const sessions = await app.container.make(SessionService)
    const schemesWith = async (grantTypes: string[]) => {
      const oauth2 = { ...config, grantTypes, scopes: { notes: 'Notes' } }
      const openapi = await describing(
        (router) => void router.get('/notes', handler),
        {},
        { oauth2 }
      )
      return (await openapi.document()).components.securitySchemes
    }
    const tokenUrl = 'https://as.example.com/oauth/token'
    const [token, renewed] = [{ tokenUrl }, { tokenUrl, refreshUrl: tokenUrl }]
    const authorizationUrl = 'https://as.example.com/oauth/authorize'
    const scopes = { notes: 'Notes' }
    const { cookie, csrfHeader, csrfCookie } = sessions.config
    const everyGrant = ['authorization_code', 'client_credentials', 'password', 'refresh_token']
    assert.deepEqual(await schemesWith(everyGrant), {
      web: { type: 'apiKey', in: 'cookie', name: cookie },
      api: { type: 'http', scheme: 'bearer' },
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl, ...renewed, scopes },
          clientCredentials: { ...token, scopes },
          password: { ...renewed, scopes },
        },
      },
      csrf: {
        type: 'apiKey',
        in: 'header',
        name: csrfHeader,
        description: `The value of the cookie ${csrfCookie}`,
      },
    })
    const { oauth } = (await schemesWith(['password'])) as any
    assert.deepEqual(oauth.flows, { password: { ...token, scopes } })
  })

  test('a guard with a driver of your own is described as its challenge, or as Bearer', async ({
    assert,
  }) => {
    class WrongPassword extends Unauthenticated {
      override get challenge() {
        return 'Basic realm="Reports"'
      }
    }
    const identify = {
      basic: async () => new Refusal(() => new WrongPassword(), true),
      header: async () => new Refusal(() => new Unauthenticated(), true),
      needy: async () => Promise.reject(new Error('There is no request')),
    }
    const drivers = Object.keys(identify) as (keyof typeof identify)[]
    const specs = drivers.map((driver) => [driver, { driver, provider: 'users' }])
    const manager = createManager({
      default: { guard: 'basic' },
      guards: Object.fromEntries(specs),
      providers: { users: { driver: 'memory', users: [] } },
    })
    for (const driver of drivers) {
      class OwnGuard extends RequestGuard {
        readonly driverName = driver
        protected identify = identify[driver]
      }
      const create: any = ({ name, users }: GuardOptions) => {
        return () => new OwnGuard(name, users)
      }
      manager.registerDriver({ name: driver, create })
    }
    await manager.build()
    const openapi = await describing(
      (router) => void router.get('/notes', handler),
      {},
      { manager, sessions: null, oauth2: null }
    )
    const { securitySchemes } = (await openapi.document()).components
    const bearer = { type: 'http', scheme: 'bearer' }
    const basic = { type: 'http', scheme: 'basic' }
    assert.deepEqual(securitySchemes, { basic, header: bearer, needy: bearer })
  })

  test('answers of 429 and 503 say when to come back', async ({ assert }) => {
    const openapi = await describing((router) => void router.get('/notes', handler), {
      'GET /notes': { summary, answers: { 200: object({ title: text }) } },
    })
    const { components } = await openapi.document()
    for (const name of ['TooMany', 'JsonApiTooMany', 'Unavailable']) {
      assert.property((components.responses![name] as any).headers, 'Retry-After')
    }
  })

  test('an authorization request has the parameters of its specifications', async ({
    assert,
    client,
  }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    const { parameters } = paths['/oauth/authorize'].get
    const { schema } = paths['/oauth/authorize'].post.requestBody.content['application/json']
    assert.deepEqual(schema.required, ['approved'])
    assert.includeMembers(
      parameters.map(({ name }: { name: string }) => name),
      [
        ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'resource'],
        ...['code_challenge', 'code_challenge_method', 'request_uri', 'prompt', 'nonce'],
      ]
    )
  })

  test('whoever decides about a request has to be signed in', async ({ assert, client }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    for (const act of ['approve', 'deny', 'switch', 'select']) {
      const { security } = paths[`/oauth/authorizations/{handle}/${act}`].post
      assert.deepEqual(security, [{ web: [], csrf: [] }], act)
    }
  })

  test('what a client may know of a person needs an access token', async ({ assert, client }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    for (const method of ['get', 'post']) {
      const { security, responses } = paths['/oauth/userinfo'][method]
      assert.deepEqual(security, [{ oauth: ['openid'] }], method)
      assert.containsSubset(Object.keys(responses), ['401', '403'], method)
    }
  })

  test('an MCP server asks for what its mount is protected by', async ({ assert, client }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    assert.deepEqual(paths['/mcp/account'].post.security, [{ oauth: ['account:read'] }])
    assert.deepInclude(paths['/mcp'].post.security, {})
    assert.property(paths['/mcp'].post.security[0], 'oauth')
  })

  test('endpoints of OAuth refuse a parameter with 400, and a client with 401', async ({
    assert,
    client,
  }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    const answer = await client.post('/oauth/token').form({ grant_type: '' })
    answer.assertStatus(400)
    const described = Object.keys(paths['/oauth/token'].post.responses)
    assert.includeMembers(described, ['400', '401'])
    assert.notInclude(described, '422')
    assert.include(Object.keys(paths['/login'].post.responses), '422')
  })

  test('changes of a relationship that a route only refuses are left out', async ({
    assert,
    client,
  }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    const changesOf = (name: string) =>
      Object.keys(paths[`/api/posts/{id}/relationships/${name}`]).filter((one) => one !== 'get')
    assert.isEmpty(changesOf('author'))
    assert.sameMembers(changesOf('comments'), ['post', 'delete'])
  })

  test('resources of JSON:API give documents, linkage and parameters', async ({
    assert,
    client,
  }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    const type = 'application/vnd.api+json'
    const dataOf = (path: string) =>
      paths[path].get.responses['200'].content[type].schema.properties.data
    assert.deepEqual(dataOf('/api/posts').items, { $ref: '#/components/schemas/PostResource' })
    assert.equal(dataOf('/api/posts/{id}/comments').type, 'array')
    assert.equal(dataOf('/api/posts/{id}/relationships/comments').type, 'array')
    assert.deepEqual(dataOf('/api/posts/{id}/author').anyOf[1], { type: 'null' })
    assert.deepEqual(dataOf('/api/posts/{id}'), { $ref: '#/components/schemas/PostResource' })
    const { parameters } = paths['/api/posts'].get
    const styleOf = ({ name, style, explode }: any) => `${name} ${style} ${explode}`
    assert.sameMembers(parameters.map(styleOf), [
      ...['include undefined undefined', 'sort undefined undefined'],
      ...['fields deepObject true', 'page deepObject true', 'filter deepObject true'],
    ])
    const { data } = paths['/api/posts'].post.requestBody.content[type].schema.properties
    assert.deepEqual(data.required, ['type', 'attributes'])
    assert.property(data.properties.attributes.properties, 'title')
    assert.notProperty(data.properties, 'relationships')
    const removal = paths['/api/posts/{id}'].delete
    assert.equal(removal.summary, 'Delete /api/posts/:id')
    assert.notProperty(removal, 'requestBody')
    assert.notProperty(removal.responses['204'], 'content')
  })
})

test.group('OpenAPI | what writes of JSON:API take', () => {
  const known = (method: string): KnownRoute => {
    return { method, pattern: '/comments', route: { middleware: [] } as any }
  }

  /** The members of a document that creates or changes a comment. */
  function membersOf(method: string, writes?: ResourceWrites) {
    const routes = new JsonApiRoutes([], new Map())
    const { body } = routes.describe(known(method), { resource: () => CommentResource, writes })
    const { properties } = (body as any).properties.data
    const names = (member: string) => Object.keys(properties[member]?.properties ?? {})
    return { attributes: names('attributes'), relationships: names('relationships') }
  }

  test('the attributes and relationships that the handler declares, and no others', ({
    assert,
  }) => {
    const created = membersOf('POST', commentWrites)
    assert.deepEqual(created, { attributes: ['body'], relationships: ['post'] })
    const { create } = commentWrites
    const changed = membersOf('PATCH', { ...commentWrites, update: create as any })
    assert.deepEqual(changed, { attributes: ['body'], relationships: [] })
  })

  test('without a declaration the relationships that are read', ({ assert }) => {
    assert.sameMembers(membersOf('PATCH').relationships, ['author', 'post'])
  })
})

test.group('OpenAPI | the document', () => {
  test('says what fixtures/openapi.json has: a change of that is one for clients', async ({
    assert,
  }) => {
    const openapi = await app.container.make(OpenApi)
    const written = await readFile(app.makePath('packages/starter/fixtures/openapi.json'), 'utf8')
    /* Resources of other tests are included as well, and OpenID, which is off here, has scopes. */
    const differs = /^"(Included|oauth)": /
    const linesOf = (page: string) =>
      page.split('\n').flatMap((line) => (differs.test(line) ? [] : [line.replace(/,$/, '')]))
    assert.includeMembers(linesOf(openApiPage(await openapi.document())), linesOf(written))
  })

  test('openapi:export writes a file, its folder too, in which every reference leads somewhere', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    cleanup(() => rm(folder, { recursive: true }))
    const file = join(folder, 'new', 'openapi.json')
    const { code } = await runScript('ace.js', ['openapi:export', file])
    assert.equal(code, 0)
    const document = JSON.parse(await readFile(file, 'utf8'))
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    assert.isAbove(references.length, 100)
    for (const [, path] of references) {
      const found = path!.split('/').reduce((at, name) => at?.[name], document)
      assert.isObject(found, path)
    }
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    Object.values<any>(document.components.schemas).forEach((schema) => {
      assert.isTrue(ajv.validateSchema(schema))
    })
  })

  test('examples of bodies are right, and patterns can be read by any language', async ({
    assert,
    client,
  }) => {
    const document = (await client.get('/openapi.json')).body()
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    const bodies = Object.values<any>(document.paths)
      .flatMap((path) => Object.values<any>(path))
      .flatMap(({ requestBody }) => Object.values<any>(requestBody?.content ?? {}))
    const examples = bodies.filter(({ example }) => example)
    assert.isAbove(examples.length, 9)
    for (const { schema, example } of examples) {
      ajv.validate(schema, example)
      assert.deepEqual(ajv.errors ?? [], [], JSON.stringify(example))
    }
    JSON.stringify(document, (name, value) => {
      const isPattern = name === 'pattern' && typeof value === 'string'
      assert.isTrue(!isPattern || isPortablePattern(value), String(value))
      return value
    })
  })

  test('404 unless it is served', async ({ assert, client }) => {
    const openapi: { isServed: boolean } = await app.container.make(OpenApi)
    assert.isTrue(openapi.isServed)
    replaceForTest(openapi, 'isServed', false)
    const response = await client.get('/openapi.json')
    response.assertStatus(404)
    assert.notProperty(response.body(), 'paths')
  })

  test('no cache keeps it', async ({ client }) => {
    const response = await client.get('/openapi.json')
    response.assertHeader('cache-control', 'no-store')
  })

  test('names of operations are unique', async ({ assert, client }) => {
    const { paths } = (await client.get('/openapi.json')).body()
    const names = Object.values<any>(paths).flatMap((path) =>
      Object.values<any>(path).map(({ operationId }) => operationId)
    )
    assert.lengthOf(new Set(names), names.length)
  })
})

test.group('OpenAPI | the page', () => {
  test('and its files are served as what they are, and icons of styles are allowed', async ({
    assert,
    client,
  }) => {
    const typeOf = async (path: string) => {
      const response = await client.get(path)
      response.assertStatus(200)
      return response.header('content-type')
    }
    assert.equal(await typeOf('/openapi'), 'text/html; charset=utf-8')
    assert.equal(await typeOf('/openapi/start.js'), 'text/javascript; charset=utf-8')
    assert.equal(await typeOf('/openapi/swagger-ui.css'), 'text/css; charset=utf-8')
    assert.equal(await typeOf('/openapi/swagger-ui-bundle.js'), 'text/javascript; charset=utf-8')
    const policy = (await client.get('/openapi')).header('content-security-policy')
    assert.include(policy, "default-src 'self'")
    assert.isTrue(policy!.endsWith("; img-src 'self' data:"), policy)
  })

  test('is not there in production, nor without swagger-ui-dist', ({ assert }) => {
    const routesOf = (inProduction: boolean, folder: string) => {
      const router = newRouter()
      viewerRoutes(router, { inProduction, makePath: (file: string) => join(folder, file) } as any)
      router.commit()
      return Object.values(router.toJSON()).flat().length
    }
    assert.equal(routesOf(false, app.makePath()), 4)
    assert.equal(routesOf(true, app.makePath()), 0)
    assert.equal(routesOf(false, tmpdir()), 0)
  })
})
