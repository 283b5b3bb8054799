import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { DocumentNotFetched } from '#kit/http/document_fetcher'
import { isOutage, logFailure, providerIsDown } from '#kit/social/failures'
import { OrganisationRefused } from '#kit/social/organisation_refused'

const unfetched = new DocumentNotFetched('the host does not answer')

test.group('Failures of providers', () => {
  test('{$self} is an outage')
    .with([
      ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'ERR_JWKS_TIMEOUT', 'OAUTH_PARSE_ERROR'],
      ...['OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ])
    .run(({ assert }, code) => {
      assert.isTrue(isOutage(Object.assign(new Error('late'), { code })))
    })

  test('so is a request that reaches nobody, and a document that is not there', ({ assert }) => {
    assert.isTrue(isOutage(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })))
    assert.isTrue(isOutage(unfetched))
    assert.isTrue(isOutage(new Error('wrapped', { cause: unfetched })))
  })

  test('an answer that is refused, and a mistake of our own, are none', ({ assert }) => {
    const refused = Object.assign(new Error('no'), { code: 'OAUTH_RESPONSE_BODY_ERROR' })
    for (const error of [refused, new TypeError('a bug'), new Error('x', { cause: new Error() })]) {
      assert.isFalse(isOutage(error))
    }
  })

  test('programs may try again in half a minute', ({ assert }) => {
    const error = providerIsDown()
    assert.equal(error.status, 503)
    assert.equal(error.headers['Retry-After'], '30')
    assert.equal(error.message, 'The provider does not answer. Try again later.')
  })

  test('the log has the message, the code and the error, and no answer', ({ assert }) => {
    const { ctx, lines } = spied()
    const answer = { access_token: 'secret' }
    const error = Object.assign(new Error('no', { cause: answer }), {
      ...{ code: 'OAUTH_X', error: 'invalid_grant' },
    })
    logFailure(ctx, 'one', error)
    logFailure(ctx, 'one', new Error('wrapped', { cause: unfetched }), 'Other words')
    assert.deepEqual(lines, [
      [
        { provider: 'one', reason: 'no, OAUTH_X, invalid_grant' },
        'A sign-in through a provider failed',
      ],
      [{ provider: 'one', reason: unfetched.message }, 'Other words'],
    ])
  })
})

test.group('A provider that cannot be reached', () => {
  test('is in the log with the code of the system, e.g. of a wrong port in its issuer', ({
    assert,
  }) => {
    const { ctx, lines } = spied()
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    logFailure(ctx, 'one', new TypeError('fetch failed', { cause }))
    const coded = Object.assign(new Error('late', { cause }), { code: 'OAUTH_X' })
    logFailure(ctx, 'one', coded)
    const answer = { code: 'of an answer' }
    logFailure(ctx, 'one', new Error('no', { cause: answer }))
    assert.deepEqual(
      lines.map(([fields]) => (fields as { reason: string }).reason),
      ['fetch failed, ECONNREFUSED', 'late, OAUTH_X', 'no']
    )
  })
})

function spied() {
  const lines: unknown[][] = []
  const ctx = new HttpContextFactory().create()
  ctx.logger.warn = ((...line: unknown[]) => void lines.push(line)) as any
  return { ctx, lines }
}

test.group('Refusals of organisations', () => {
  test('{rule} is about the field {field}')
    .with([
      { rule: 'domain', field: 'domain' },
      { rule: 'publicDomain', field: 'domain' },
      { rule: 'issuer', field: 'issuer' },
      { rule: 'domainRecord', field: 'txt_record' },
      { rule: 'nameServers', field: 'txt_record' },
      { rule: 'domainTaken', field: 'txt_record' },
      { rule: 'notVerified', field: 'txt_record' },
      { rule: 'providerAdded', field: 'domain' },
      { rule: 'providerRemoved', field: 'txt_record' },
    ] as const)
    .run(({ assert }, { rule, field }) => {
      const error = new OrganisationRefused(rule)
      assert.deepEqual(
        [error.status, error.code, error.rule, error.field],
        [422, 'E_ORGANISATION_REFUSED', rule, field]
      )
    })
})
