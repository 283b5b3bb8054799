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

  test('short parts of a name are in too many words to count', ({ assert }) => {
    assert.isNull(weaknessOf('io2938475', ['io@xy.de']))
  })
})
