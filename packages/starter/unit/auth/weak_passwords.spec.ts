import { test } from '@japa/runner'

import { COMMON_PASSWORDS, weaknessOf } from '#kit/auth/credential_rules'

const ANN = ['ann.example@mail.example.org', 'Ann Example']

test.group('Weak passwords', () => {
  test('the most used ones are refused, however they are written: {$self}')
    .with(['password', '12345678', 'PassWord', 'password1', 'password2024!', '!!iloveyou!!'])
    .run(({ assert }, password) => {
      assert.equal(weaknessOf(password, []), 'commonPassword')
    })

  test('the list has 3,000, and each is long enough to be chosen', ({ assert }) => {
    assert.isAtLeast(COMMON_PASSWORDS.size, 3000)
    for (const password of COMMON_PASSWORDS) assert.isAtLeast(password.length, 8)
  })

  test('those made of the own name or address are refused: {$self}')
    .with([
      'annexample',
      'Ann.Example1',
      'example-2024',
      'ann.example@mail.example.org',
      '2024exampleann!!',
    ])
    .run(({ assert }, password) => {
      assert.equal(weaknessOf(password, ANN), 'personalPassword')
    })

  test('others are not: {$self}')
    .with([
      'correct horse battery',
      'a secret of mine',
      'ann likes horses',
      '🔑🔑🔑🔑🔒🔒🔒🔒',
      'x9!kd02md',
    ])
    .run(({ assert }, password) => {
      assert.isNull(weaknessOf(password, ANN))
    })

  test('of a name, parts of three letters count, and shorter ones are in too many words', ({
    assert,
  }) => {
    assert.equal(weaknessOf('ann293847', ['ann@xy.de']), 'personalPassword')
    assert.isNull(weaknessOf('io2938475', ['io@xy.de']))
  })

  test('four letters besides the name are enough, and three are too few', ({ assert }) => {
    assert.isNull(weaknessOf('example-abcd', ANN))
    assert.equal(weaknessOf('example-abc-2024', ANN), 'personalPassword')
  })

  test('a part of a name is found whole, also where it begins with another part', ({ assert }) => {
    assert.equal(weaknessOf('annabelle1', ['Ann Annabelle']), 'personalPassword')
  })
})
