import { test } from '@japa/runner'

import { addressOf, claimText, subjectOf } from '#kit/social/providers/claims'

const LONGEST = `${'x'.repeat(254 - '@example.com'.length)}@example.com`

test.group('The address that a provider tells', () => {
  test('is trimmed and in lower case, of at most 254 characters', ({ assert }) => {
    const addresses = [' Ann@Example.COM ', LONGEST, 'a@B\u00dccher.de', 'a@fa\u00df.de']
    assert.deepEqual(
      addresses.map((email) => addressOf(email, true).email),
      ['ann@example.com', LONGEST, 'a@b\u00fccher.de', 'a@fa\u00df.de']
    )
  })

  test('{$i}: what is no address is none')
    .with([
      ...[undefined, null, 7, '', 'ann', 'a@b@c', 'a b@c', '@c', 'a@', 'a@\0', `x${LONGEST}`],
      ...['a@\ud800', 'a@b\u00adc', 'a\u202e@b', 'a,b@c', 'a;b@c', 'a:b@c', '"a"@b', 'a\\b@c'],
      ...['<a@b>', '<a@b>.c', 'a<b>@c', 'a@b<c>', '(b)a@c', 'a@b(c)', 'a@[b]'],
      /* Their mail goes to another spelling of the domain. */
      ...['a@\u24d2orp.com', 'a@corp\u3002co.uk', 'a@b\u034fc.com', 'a@\u017f.com'],
      /* A parser of domains ends at such a sign, or decodes it: they would be of a domain that is not theirs. */
      ...['a@b.c/d', 'a@b.c?d', 'a@b.c#d', 'a@%62.c'],
      /* In lower case they would be addresses of somebody else: the sign for kelvin becomes a "k". */
      ...[
        '\u212aim@example.com',
        'kim@\u212a.example',
        '\u212bsa@example.com',
        'x\u2126@example.com',
      ],
    ])
    .run(({ assert }, email) => {
      assert.deepEqual(addressOf(email, true), { email: null, says: 'verified' })
    })

  test('is verified when the provider says so, and it may say nothing', ({ assert }) => {
    const said = [true, 'true', false, 'false', 1, '', undefined, null]
    assert.deepEqual(
      said.map((isVerified) => addressOf('a@b.c', isVerified).says),
      [
        ...['verified', 'verified', 'unverified', 'unverified', 'unverified', 'unverified'],
        ...['nothing', 'nothing'],
      ]
    )
  })
})

test.group('The subject that a provider tells', () => {
  test('is kept as it is', ({ assert }) => {
    assert.equal(subjectOf(' Ann '), ' Ann ')
  })

  test('{$i}: what cannot tell two people apart, or be stored, is refused')
    .with(['', ' ', '\t', 'x'.repeat(256), 'a\0', '\ud800'])
    .run(({ assert }, sub) => {
      assert.throws(() => subjectOf(sub), /subject is empty or too long, or cannot be stored/)
    })
})

test.group('A name that a provider tells', () => {
  test('is trimmed, and cut to 255 characters', ({ assert }) => {
    assert.equal(claimText('  Ann '), 'Ann')
    assert.equal(claimText('x'.repeat(300)), 'x'.repeat(255))
    /* Half of a pair cannot be stored: a database would keep another character. */
    assert.equal(claimText(`${'x'.repeat(254)}😀`), 'x'.repeat(254))
  })

  test('{$i}: what cannot be shown to others is none')
    .with([
      ...[undefined, null, 7, {}, '', '  ', 'a\0b', '\ud800'],
      /* Other people would be shown a pile over their own lines, or text in another order. */
      ...[`a${'\u0335'.repeat(9)}`, 'a\u202eb', 'a\nb', '\u200b'],
    ])
    .run(({ assert }, value) => {
      assert.isNull(claimText(value))
    })
})
