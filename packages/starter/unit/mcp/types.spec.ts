import vine from '@vinejs/vine'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

import type { Arguments, FromSchema, Structure } from '#kit/mcp/inference'
import { Response } from '#kit/mcp/response'
import { Server, mountServer } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'

/* The compiler is the judge: each `@ts-expect-error` fails the type check once its line compiles. */

class Greet extends Tool<typeof Greet> {
  static override name = 'greet'
  static override description = 'Greets'

  static override schema() {
    return vine.create({ name: vine.string(), times: vine.number().optional() })
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: { greeting: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
      required: ['greeting'],
    } as const
  }

  handle({ name, times }: Arguments<typeof Greet>) {
    const repeated: number | undefined = times
    return repeated === 0
      ? Response.error('Not even once')
      : Response.of(
          Response.text('A greeting'),
          Response.structure({ greeting: `Hello ${name.trim()}`, at: DateTime.now() })
        )
  }
}

test.group('MCP types', () => {
  test('arguments have the type that schema() describes', ({ assert }) => {
    const args: Arguments<typeof Greet> = { name: 'Ann' }
    // @ts-expect-error: "name" is a string
    const wrong: Arguments<typeof Greet> = { name: 1 }
    // @ts-expect-error: there is no argument "nmae"
    const typo = (given: Arguments<typeof Greet>) => given.nmae
    assert.isOk([args, wrong, typo])
  })

  test('a structure has the type that outputSchema() describes', ({ assert }) => {
    const structure: Structure<typeof Greet> = { greeting: 'Hello' }
    // @ts-expect-error: "greeting" is required
    const wrong: Structure<typeof Greet> = {}
    assert.isOk([structure, wrong])
  })

  test('a handler that takes other arguments, or returns another structure, fails to compile', ({
    assert,
  }) => {
    class WrongArguments extends Tool<typeof WrongArguments> {
      static override schema = () => vine.create({ id: vine.number() })

      // @ts-expect-error: "id" is a number
      handle({ id }: { id: string }) {
        return Response.text(id)
      }
    }

    class WrongStructure extends Tool<typeof WrongStructure> {
      static override outputSchema = () => vine.create({ words: vine.number() })

      // @ts-expect-error: "words" is a number
      handle() {
        return Response.structure({ words: 'three' })
      }
    }

    class NoStructure extends Tool<typeof NoStructure> {
      static override outputSchema = () => vine.create({ words: vine.number() })

      // @ts-expect-error: an output schema needs a structure
      handle() {
        return Response.text('three')
      }
    }
    assert.isOk([WrongArguments, WrongStructure, NoStructure])
  })

  test('a server with such a tool cannot be mounted, whatever its tool extends', ({ assert }) => {
    class TooMuch extends Tool {
      static override schema = () => vine.create({ id: vine.number() })

      handle({ id, page }: { id: number; page: number }) {
        return Response.text(String(id + page))
      }
    }
    class WrongOutput extends Tool {
      static override outputSchema = () => ({ type: 'array', items: { type: 'integer' } }) as const

      handle() {
        return Response.structure(['one'])
      }
    }
    class Good extends Server {
      static override tools = () => [Greet]
    }
    class WithTooMuch extends Server {
      static override tools = () => [Greet, TooMuch]
    }
    class WithWrongOutput extends Server {
      static override tools = () => [WrongOutput]
    }

    const mounts = () => {
      Good.router('/good')
      // @ts-expect-error: the schema of TooMuch gives no "page"
      WithTooMuch.router('/bad')
      // @ts-expect-error: the schema of WrongOutput wants integers
      WithWrongOutput.router('/bad')
      mountServer('/good', async () => ({ default: Good }))
      // @ts-expect-error: likewise where the class is imported later
      mountServer('/bad', async () => ({ default: WithTooMuch }))
    }
    assert.isFunction(mounts)
  })

  test('a JSON Schema says as much as it is declared to', ({ assert }) => {
    type Known = FromSchema<{
      readonly type: 'object'
      readonly properties: {
        readonly kind: { readonly enum: readonly ['a', 'b'] }
        readonly note: { readonly type: readonly ['string', 'null'] }
        readonly list: {
          readonly type: 'array'
          readonly items: { readonly type: 'integer' }
        }
      }
      readonly required: readonly ['kind', 'list']
    }>
    const known: Known = { kind: 'a', list: [1], note: null }
    // @ts-expect-error: "c" is not in the enum
    const kind: Known = { kind: 'c', list: [] }
    // @ts-expect-error: the list has integers
    const list: Known = { kind: 'a', list: ['1'] }
    const unknown: FromSchema<{ type: string }> = 'anything'
    assert.isOk([known, kind, list, unknown])
  })
})
