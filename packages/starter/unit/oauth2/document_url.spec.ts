import { test } from '@japa/runner'

import { parseDocumentUrl, parseOutgoingUrl } from '#kit/oauth2/clients/client_urls'
import { isPublicAddress } from '#kit/http/public_address'

test.group('URL of a metadata document', () => {
  test('is {$self}')
    .with([
      'https://agent.example.com/client.json',
      'https://agent.example.com/a/',
      'https://agent.example.com:8443/client',
      'https://xn--bcher-kva.example/client',
      'https://agent.example.com/a%20b',
    ])
    .run(({ assert }, id) => {
      assert.equal(parseDocumentUrl(id)!.href, id)
    })

  test('is not {$self}')
    .with([
      '',
      'client',
      'http://agent.example.com/client',
      'https://agent.example.com',
      'https://agent.example.com/',
      'https://agent.example.com/client?x=1',
      'https://agent.example.com/client?',
      'https://agent.example.com/client#x',
      'https://agent.example.com/client#',
      'https://user@agent.example.com/client',
      'https://user:password@agent.example.com/client',
      'https://@agent.example.com/client',
      'https://agent.example.com:443/client',
      'HTTPS://agent.example.com/client',
      'https://AGENT.example.com/client',
      'https://bücher.example/client',
      'https://agent.example.com/a/../client',
      'https://agent.example.com/./client',
      'https://agent.example.com/%2e%2e/client',
      'https:/agent.example.com/client',
      'https://agent.example.com\\client',
      ' https://agent.example.com/client',
      'https://agent.example.com/cli\tent',
      /* Every spelling of an address is one. */
      'https://127.0.0.1/client',
      'https://8.8.8.8/client',
      'https://2130706433/client',
      'https://0177.0.0.1/client',
      'https://0x7f.0.0.1/client',
      'https://0x7f000001/client',
      'https://127.1/client',
      'https://[::1]/client',
      'https://[2606:4700::1111]/client',
      'https://[::ffff:127.0.0.1]/client',
      'https://[::ffff:7f00:1]/client',
      'https://①②⑦.0.0.1/client',
    ])
    .run(({ assert }, id) => {
      assert.isNull(parseDocumentUrl(id))
    })
})

/** The IPv4 Special-Purpose Address Registry of IANA, and the multicast block: first and last address of each. */
const IPV4 = `
  0.0.0.0 0.255.255.255
  10.0.0.0 10.255.255.255
  100.64.0.0 100.127.255.255
  127.0.0.0 127.255.255.255
  169.254.0.0 169.254.255.255
  172.16.0.0 172.31.255.255
  192.0.0.0 192.0.0.255
  192.0.0.8 192.0.0.9
  192.0.0.10 192.0.0.170
  192.0.2.0 192.0.2.255
  192.31.196.0 192.31.196.255
  192.52.193.0 192.52.193.255
  192.88.99.0 192.88.99.255
  192.168.0.0 192.168.255.255
  192.175.48.0 192.175.48.255
  198.18.0.0 198.19.255.255
  198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255
  224.0.0.0 239.255.255.255
  240.0.0.0 255.255.255.254
  255.255.255.255 255.255.255.255`

/** The IPv6 registry, the forms that carry an IPv4 address, and what is not allocated. */
const IPV6 = `
  ::1 ::
  ::ffff:0.0.0.0 ::ffff:255.255.255.255
  ::ffff:8.8.8.8 ::ffff:127.0.0.1
  ::ffff:0:8.8.8.8 ::ffff:0:127.0.0.1
  ::127.0.0.1 ::8.8.8.8
  64:ff9b:: 64:ff9b::ffff:ffff
  64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
  100:: 100::ffff:ffff:ffff:ffff
  100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff
  2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1
  2001:1::2 2001:1::3
  2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff
  2001:3:: 2001:3:ffff:ffff:ffff:ffff:ffff:ffff
  2001:4:112:: 2001:4:112:ffff:ffff:ffff:ffff:ffff
  2001:10:: 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff
  2001:20:: 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff
  2001:30:: 2001:3f:ffff:ffff:ffff:ffff:ffff:ffff
  2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
  2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2002:7f00:1:: 2002:808:808::1
  2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff
  3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
  5f00:: 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fe80::1%eth0 fe80::1%1
  fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  ff00:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  4000:: e000::1`

const addresses = (blocks: string) => blocks.split(/\s+/).filter(Boolean)

test.group('Public addresses', () => {
  test('{$self} is not public')
    .with([...addresses(IPV4), ...addresses(IPV6), '', 'localhost', '127.0.0.1.', 'fe80::%'])
    .run(({ assert }, address) => {
      assert.isFalse(isPublicAddress(address))
    })

  test('{$self} is public')
    .with([
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2000::1',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:4700:4700::1111',
      '2a00:1450:4001:80e::200e',
      '3ffe:ffff::1',
    ])
    .run(({ assert }, address) => {
      assert.isTrue(isPublicAddress(address))
    })
})

test.group('The URL of the keys of a client', () => {
  const URL_OF_KEYS = 'https://client.example.com/jwks'

  test('has at most 2000 characters, and may have a query', ({ assert }) => {
    const long = `${URL_OF_KEYS}?`.padEnd(2000, 'x')
    assert.equal(parseOutgoingUrl(long)?.href, long)
    assert.isNull(parseOutgoingUrl(`${long}x`))
  })

  test('is not {$self}')
    .with([
      'http://client.example.com/jwks',
      'https://user@client.example.com/jwks',
      'https://:password@client.example.com/jwks',
      `${URL_OF_KEYS}#x`,
      'https://127.0.0.1/jwks',
      'https://bücher.example/jwks',
      `${URL_OF_KEYS}\n`,
      'https://client.example.com/\u001b[2J',
      'jwks',
    ])
    .run(({ assert }, text) => assert.isNull(parseOutgoingUrl(text)))
})
