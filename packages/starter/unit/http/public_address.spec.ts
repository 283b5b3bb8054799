import { test } from '@japa/runner'

import { answerWith, countedAddress, isPublicAddress, isPublicName } from '#kit/http/public_address'

test.group('Public names and addresses', () => {
  test('{$self} leads to no public host')
    .with([
      ...['localhost', 'app.localhost', 'LOCALHOST.', 'printer.local', 'db.internal'],
      ...['router.home.arpa', 'metadata.goog', 'metadata.tencentyun.com', 'instance-data'],
      ...['127.0.0.1', '93.184.216.34', '[2606:2800::1]', '2606:2800::1'],
    ])
    .run(({ assert }, name) => {
      assert.isFalse(isPublicName(name))
    })

  test('a name that only looks like a private one may be public', ({ assert }) => {
    for (const name of ['example.com', 'mylocalhost', 'a.locals', 'internal.example.com.']) {
      assert.isTrue(isPublicName(name), name)
    }
  })

  test('an address is public where it is a unicast one that IANA has given out', ({ assert }) => {
    const addresses = ['93.184.216.34', '2606:2800::1', '10.0.0.1', '168.63.129.16', 'fd00::1']
    const others = ['4000::1', '::ffff:93.184.216.34', 'x', '169.254.169.254']
    assert.deepEqual([...addresses, ...others].map(isPublicAddress), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ])
  })

  test('what was looked up answers the look-up of the connection', ({ assert }) => {
    const lookup = answerWith(['93.184.216.34', '2606:2800::1'])
    const told: unknown[][] = []
    const note = (...answer: unknown[]) => void told.push(answer)
    lookup('example.com', { all: true }, note)
    lookup('example.com', {}, note)
    answerWith(['2606:2800::1'])('example.com', {}, note)
    assert.deepEqual(told, [
      [
        null,
        [
          { address: '93.184.216.34', family: 4 },
          { address: '2606:2800::1', family: 6 },
        ],
      ],
      [null, '93.184.216.34', 4],
      [null, '2606:2800::1', 6],
    ])
  })

  test('failures are counted by address, of IPv6 by the network of /64', ({ assert }) => {
    for (const [address, counted] of [
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
      ['unknown', 'unknown'],
    ]) {
      assert.equal(countedAddress(address!), counted)
    }
  })

  test('a connection that is gone has an address that can be counted', ({ assert }) => {
    assert.equal(countedAddress(undefined), '')
  })

  test('a port that a gateway has added to an address makes no other caller of it', ({
    assert,
  }) => {
    for (const [address, counted] of [
      ['203.0.113.7:50123', '203.0.113.7'],
      ['[2001:db8:a:b:1:2:3:4]:50123', '2001:db8:a:b::/64'],
      ['[2001:db8:a:b::1]', '2001:db8:a:b::/64'],
    ]) {
      assert.equal(countedAddress(address!), counted)
    }
  })
})
