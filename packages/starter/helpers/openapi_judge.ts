import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import { Test } from '@japa/runner/core'
import type { PluginFn } from '@japa/runner/types'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

import { OpenApi } from '#kit/openapi/openapi'
import { pathOf } from '#kit/openapi/operation'
import type { OpenApiDocument } from '#kit/openapi/describe'

/*
| Holds every JSON answer of the functional suite, and the JSON body of every
| request that succeeded, against /openapi.json. Routes that tests add are left
| alone.
*/

/** Below it are the routes of tests. */
const TESTS = '/_test/'

const ID = 'http://app/openapi.json'
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/

export class OpenApiJudge {
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(readonly document: OpenApiDocument) {
    formats.default(this.#ajv)
    this.#ajv.addSchema({ $id: ID, ...document })
  }

  /** What of an answer, and of its request, is not as described. */
  judge(ctx: HttpContext): string[] {
    const { request, response, route } = ctx
    const method = request.method().toLowerCase()
    const path = route && !route.pattern.startsWith(TESTS) ? pathOf(route.pattern) : null
    const operation = path ? (this.document.paths[path]?.[method] as any) : undefined
    if (!operation) {
      return []
    }
    const about = `${request.method()} ${route!.pattern} ${response.getStatus()}`
    const at = ['paths', path!, method]
    const problems = this.#response(ctx, operation, at)
    if (response.getStatus() < 300) {
      problems.push(...this.#request(ctx, operation, at))
    }
    return problems.map((problem) => `${about}: ${problem}`)
  }

  #response({ response }: HttpContext, operation: any, at: string[]): string[] {
    const type = mediaType(response.getHeader('content-type'))
    const body = response.getBody()
    const status = response.getStatus()
    if (!JSON_TYPE.test(type) || body === undefined || body === null || body === '') {
      return []
    }
    const name = status in operation.responses ? String(status) : 'default'
    if (name === 'default' && status < 400) {
      return ['no answer with this status is described']
    }
    const { found, pointer } = this.#resolve(operation.responses[name], [...at, 'responses', name])
    const described = keyOf(found.content, type)
    if (!described) {
      return [`the type ${type} is not described`]
    }
    const missing = Object.keys(found.headers ?? {}).filter((one) => !response.getHeader(one))
    return [
      ...missing.map((header) => `the header ${header} is missing`),
      ...this.#validate([...pointer, 'content', described, 'schema'], plain(body)),
    ]
  }

  #request({ request }: HttpContext, operation: any, at: string[]): string[] {
    const type = mediaType(request.header('content-type'))
    const raw = request.raw()
    const described = keyOf(operation.requestBody?.content, type)
    if (!JSON_TYPE.test(type) || !raw || !described) {
      return []
    }
    const pointer = [...at, 'requestBody', 'content', described, 'schema']
    /* VineJS takes null for a field that is left out. */
    const sent = Object.entries(JSON.parse(raw)).filter(([, value]) => value !== null)
    return this.#validate(pointer, Object.fromEntries(sent)).map(
      (problem) => `the request: ${problem}`
    )
  }

  #resolve(found: any, pointer: string[]): { found: any; pointer: string[] } {
    if (!found.$ref) {
      return { found, pointer }
    }
    const path = found.$ref.slice(2).split('/')
    return { found: path.reduce((at: any, name: string) => at[name], this.document), pointer: path }
  }

  #validate(pointer: string[], value: unknown): string[] {
    const ref = `${ID}#/${pointer.map(escaped).join('/')}`
    let validate = this.#validators.get(ref)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: ref })
      this.#validators.set(ref, validate)
    }
    return validate(value) ? [] : [this.#ajv.errorsText(validate.errors)]
  }
}

/** The described media type, with its extension, that a media type without parameters is one of. */
const keyOf = (content: object | undefined, type: string) =>
  Object.keys(content ?? {}).find((key) => mediaType(key) === type)

const mediaType = (header: unknown) =>
  String(header ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()

const escaped = (name: string) =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

const plain = (body: unknown) =>
  typeof body === 'string' ? JSON.parse(body) : JSON.parse(JSON.stringify(body))

/** Fails a test whose answers are not as /openapi.json has them. */
export const openApiJudge: PluginFn = ({ runner }) => {
  if (!app.container.hasBinding(OpenApi)) {
    return
  }
  let judge: OpenApiJudge | undefined
  let problems: string[] = []

  runner.onSuite((suite) => {
    suite.setup(async () => {
      const openapi = await app.container.make(OpenApi)
      judge ??= new OpenApiJudge(await openapi.document())
    })
  })
  emitter.on('http:request_completed', ({ ctx }) => {
    try {
      problems.push(...(judge?.judge(ctx) ?? []))
    } catch (error) {
      problems.push(`${ctx.request.method()} ${ctx.route?.pattern}: ${(error as Error).stack}`)
    }
  })
  Test.executed((_test, hasFailed) => {
    const found = [...new Set(problems)]
    problems = []
    if (found.length && !hasFailed) {
      throw new Error(`Not as /openapi.json has it:\n${found.join('\n')}`)
    }
  })
}
