import { test } from '@japa/runner'

import { type Call, callDigest } from '#kit/mcp/protocol/call'

function digestOf(method: string, params: object, server = 'a', id: string | null = null) {
  const definition = { info: { name: server } }
  return callDigest({ definition, caller: id && { id }, request: { method, params } } as Call)
}

test.group('MCP request state', () => {
  test('is bound to the server, the caller, the method, what is called and the arguments', ({
    assert,
  }) => {
    const digests = [
      digestOf('tools/call', { name: 'a' }),
      digestOf('tools/call', { name: 'b' }),
      digestOf('prompts/get', { name: 'a' }),
      digestOf('tools/call', { name: 'a' }, 'b'),
      digestOf('tools/call', { name: 'a' }, 'a', 'ann'),
      digestOf('tools/call', { name: 'a', arguments: { x: 1 } }),
      digestOf('resources/read', { uri: 'a://1' }),
      digestOf('resources/read', { uri: 'a://2' }),
    ]
    assert.lengthOf(new Set(digests), digests.length)
    assert.equal(digestOf('tools/call', { name: 'a', arguments: {} }), digests[0])
  })
})
