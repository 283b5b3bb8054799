/** A way to break a promise: one expression becomes another. */
export interface Mutation {
  /** Title of the test that notices. */
  title: string
  /** Its file; that of the promise with this test in SECURITY.md when absent. */
  spec?: string
  /** A module, from the root of the repository. */
  file: string
  /** An expression that stands there once. */
  code: string
  broken: string
}

export const MUTATIONS: Mutation[] = [
  {
    title: 'the id from before a login is dead: a fixed session is not signed in',
    file: 'packages/kit/src/session/request_session.ts',
    code: 'await this.#service.destroy(previous)',
    broken: 'undefined',
  },
  {
    title: 'an id that the caller chose is never taken over',
    file: 'packages/kit/src/session/cookies.ts',
    code: 'ctx.request.cookie(config.cookie)',
    broken: 'ctx.request.plainCookie(config.cookie, { encoded: false })',
  },
  {
    title: 'the id is stored as a hash',
    file: 'packages/kit/src/session/session_service.ts',
    code: 'this.store.create(hashSecret(id), record, caller)',
    broken: 'this.store.create(id, record, caller)',
  },
  {
    title: 'every unsafe method of a live session needs the token',
    file: 'packages/kit/src/session/csrf.ts',
    code: 'UNSAFE_METHODS.includes(request.method())',
    broken: "request.method() === 'POST'",
  },
  {
    title: 'another token, the token of another session, and none at all are refused',
    spec: 'packages/starter/functional/session/csrf.spec.ts',
    file: 'packages/kit/src/session/csrf.ts',
    code: '!safeEqual(token, live.record.csrfToken)',
    broken: "!safeEqual(token, ctx.request.cookiesList()[config.csrfCookie] ?? '')",
  },
  {
    title: 'nobody is signed in by a form of another site',
    file: 'packages/kit/src/session/csrf.ts',
    code: 'isForeign(ctx, origin, origins)',
    broken: 'false',
  },
  {
    title: 'so is a request of another site without a type, or with an unknown one',
    file: 'packages/kit/src/session/csrf.ts',
    code: "JSON_TYPE.test(ctx.request.header('content-type') ?? '')",
    broken: "!/form|text/.test(ctx.request.header('content-type') ?? '')",
  },
  {
    title: 'an origin that is not an exact member is refused before the token is looked at',
    file: 'packages/kit/src/session/csrf.ts',
    code: '!allowed.includes(origin)',
    broken: '!allowed.some((one) => origin.startsWith(one))',
  },
  {
    title:
      'an unknown e-mail, a wrong password and an inactive user cost one hash each, and get the same answer',
    file: 'packages/kit/src/auth/users.ts',
    code: 'await this.hasher.verify(await this.#dummy(), password)',
    broken: 'undefined',
  },
  {
    title: 'a token works once, also when it is sent many times at once',
    file: 'packages/kit/src/password_reset/broker.ts',
    code: '!(await this.#store.consume(email, token))',
    broken: 'false',
  },
  {
    title: 'only SHA-256 of the secret is stored',
    file: 'packages/kit/src/api_token/api_token_service.ts',
    code: 'hashSecret(secret)',
    broken: 'secret',
  },
  {
    title: 'a confidential client’s loopback URI compares exactly',
    file: 'packages/kit/src/oauth2/clients/redirect_uri.ts',
    code: '!client.confidential && matchesLoopback(client, uri)',
    broken: 'matchesLoopback(client, uri)',
  },
  {
    title: 'an unknown client and an unregistered redirect_uri are told in place, signed in or not',
    file: 'packages/kit/src/oauth2/clients/redirect_uri.ts',
    code: 'client.redirectUris.includes(uri)',
    broken: 'client.redirectUris.some((one) => uri.startsWith(one))',
  },
  {
    title: 'a code presented again revokes what it gave, the refreshed tokens too',
    file: 'packages/kit/src/oauth2/grants/authorization_code_grant.ts',
    code: 'await this.services.tokens.revokeAccessToken(code.accessTokenId, Date.now())',
    broken: 'undefined',
  },
  {
    title: 'reuse by the owning client revokes the whole family',
    file: 'packages/kit/src/oauth2/grants/refresh_token_grant.ts',
    code: 'await this.services.tokens.revokeFamily(familyOf(token), Date.now())',
    broken: 'undefined',
  },
  {
    title: 'a revoked token is refused at once, however often it was seen',
    file: 'packages/kit/src/oauth2/guard.ts',
    code: 'record.revokedAt !== null',
    broken: 'false',
  },
  {
    title: 'a guard without an audience refuses resource-bound tokens',
    file: 'packages/kit/src/oauth2/guard.ts',
    code: '!this.#isFor(resource, audience)',
    broken: 'audience !== null && !this.#isFor(resource, audience)',
  },
  {
    title: 'the handle of another session of the same user is unknown',
    file: 'packages/kit/src/oauth2/pending/pending_authorizations.ts',
    code: 'record.sessionHash === sessionHashOf(ctx)',
    broken: 'true',
  },
  {
    title: 'scopes that were not requested are refused, and the request goes on waiting',
    file: 'packages/kit/src/oauth2/pending/pending_authorization.ts',
    code: '!requested.includes(scope)',
    broken: 'false',
  },
  {
    title: 'one private address among public ones is enough to refuse the host',
    file: 'packages/kit/src/oauth2/clients/documents/document_fetcher.ts',
    code: 'addresses.every((address) => this.#options.isAllowed(address))',
    broken: 'addresses.some((address) => this.#options.isAllowed(address))',
  },
  {
    title: 'a client cannot present the assertion of another one',
    file: 'packages/kit/src/oauth2/trusted_issuers/identity_assertions.ts',
    code: 'claims.client_id === client.id',
    broken: 'true',
  },
  {
    title: 'the account has a verified address: a stranger could have registered it',
    file: 'packages/kit/src/oauth2/trusted_issuers/foreign_subjects.ts',
    code: 'user && (verification?.users !== users || !verification.isVerified(user))',
    broken: 'false',
  },
  {
    title: 'an Origin that is not allowed is 403, whatever the method',
    file: 'packages/kit/src/mcp/http/origin_check.ts',
    code: 'allowedOrigins.has(origin.toLowerCase())',
    broken: '[...allowedOrigins].some((one) => new URL(one).hostname === new URL(origin).hostname)',
  },
  {
    title: 'a Host that is not a name of the server is 403 (DNS rebinding)',
    file: 'packages/kit/src/mcp/http/origin_check.ts',
    code: 'host === null || !(LOOPBACK.has(host) || config.allowedHosts.has(host))',
    broken: 'host === null',
  },
  {
    title: 'an answer to the challenge of another session is refused',
    file: 'packages/kit/src/passkeys/challenges.ts',
    code: 'challenges.some((one) => one.challenge === challenge && one.purpose === purpose)',
    broken: 'true',
  },
  {
    title: 'also when ten use it at the same time: {what}',
    file: 'packages/kit/src/two_factor/database.ts',
    code: 'affectedRows(await query.update({ lastStep: step })) > 0',
    broken: '((await query.update({ lastStep: step })), true)',
  },
  {
    title: 'neither secret nor recovery codes are stored in plain text',
    file: 'packages/kit/src/two_factor/recovery_codes.ts',
    code: "hashSecret(letters.replaceAll('o', '0').replace(/[il]/g, '1'))",
    broken: "letters.replaceAll('o', '0').replace(/[il]/g, '1')",
  },
  {
    title: '429 throttled with Retry-After when too many have failed, also with the right password',
    file: 'packages/kit/src/throttle/limiter_throttle.ts',
    code: 'state && state.consumed >= state.limit',
    broken: 'false',
  },
  {
    title: 'strangers cannot lock somebody out of a device that has signed in before',
    file: 'packages/kit/src/throttle/limiter_throttle.ts',
    code: 'device === null',
    broken: 'true',
  },
  {
    title: 'bytes past the 72nd matter',
    file: 'packages/kit/src/auth/password_hasher.ts',
    code: 'Buffer.byteLength(password) > BCRYPT_BYTES',
    broken: 'false',
  },
  {
    title: 'a link is refused: {what}',
    file: 'packages/kit/src/email_verification/email_verification.ts',
    code: '!ctx.request.hasValidSignature(PURPOSE)',
    broken: 'false',
  },
  {
    title: 'a new password ends the links of before',
    file: 'packages/kit/src/email_verification/email_verification.ts',
    code: '!user || !safeEqual(this.#state(user, email), String(state))',
    broken: '!user',
  },
  {
    title: 'verifies nothing for {what}: the account may be that of a stranger',
    file: 'packages/kit/src/email_verification/email_verification.ts',
    code: 'await this.#assertOwn(user, password, ctx)',
    broken: 'undefined',
  },
  {
    title: 'ends all that was prepared, and verifies the address',
    file: 'packages/kit/src/auth/account_access.ts',
    code: 'verification && !verification.isVerified(user)',
    broken: 'false',
  },
  {
    title: 'none makes one without a fresh confirmation, by page, JSON or protocol',
    file: 'packages/kit/src/session/confirmation.ts',
    code: '!isOwn || !isFresh',
    broken: '!isOwn',
  },
  {
    title: "a token of one person borrows no confirmation from another's session",
    file: 'packages/kit/src/session/confirmation.ts',
    code: 'Boolean(userId && guard && manager.usersOf(guard).identify(user) === userId)',
    broken: 'true',
  },
  {
    title: 'a confirmation in another session of the same person counts for nothing',
    file: 'packages/kit/src/session/confirmation.ts',
    code: 'session?.confirmedAt ?? null',
    broken: 'Date.now()',
  },
  {
    title: 'the session of somebody else is not found, and goes on',
    file: 'packages/kit/src/session/session_service.ts',
    code: 'only !== null && (await this.#destroyFor(user, users, { only })) > 0',
    broken: 'only !== null',
  },
  {
    title: 'a new device is told by mail; the first one and a known one are not',
    file: 'packages/kit/src/auth/sign_ins.ts',
    code: '!isKnown && (await hasSignedIn(log, user, users, ctx))',
    broken: 'false',
  },
  {
    title: 'opens nothing: {path}',
    file: 'packages/kit/src/two_factor/login_step.ts',
    code: 'this.twoFactor.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: '{path}: the password alone is invalid_grant, which says what is missing',
    file: 'packages/kit/src/two_factor/login_step.ts',
    code: 'this.twoFactor.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: 'does not skip the second factor, and a reset signs nobody in',
    file: 'packages/kit/src/two_factor/login_step.ts',
    code: 'this.twoFactor.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: 'a session that an attacker planted gets nowhere with the steps of its victim',
    file: 'packages/kit/src/session/request_session.ts',
    code: 'await this.#replace(null)',
    broken: 'undefined',
  },
  {
    title: 'whoever knows the password locks nobody out of a device that has signed in before',
    file: 'packages/kit/src/two_factor/two_factor.ts',
    code: 'throttle?.trustDevice(ACTION, subjectOf(user, users), ctx, users.passwordStamp(user))',
    broken: 'undefined',
  },
  {
    title: 'is limited for each user, and a new password step gives no new guesses',
    file: 'packages/kit/src/two_factor/two_factor.ts',
    code: 'throttle ? throttle.attempt(ACTION, subjectOf(user, users), ctx, run, stamps) : run()',
    broken: 'run()',
  },
  {
    title: 'a challenge of one purpose is none of another',
    file: 'packages/kit/src/passkeys/challenges.ts',
    code: 'one.challenge === challenge && one.purpose === purpose',
    broken: 'one.challenge === challenge',
  },
  {
    title: 'the same callback twice at once: one is signed in',
    file: 'packages/kit/src/social/social.ts',
    code: '!(await this.#useUp(attempt))',
    broken: 'false',
  },
  {
    title: 'mix-up: the answer of one provider at the address of another is refused',
    file: 'packages/kit/src/social/social.ts',
    code: 'attempt.name !== name',
    broken: 'false',
  },
  {
    title: `nobody gets somebody else's account: says "unverified", trusted, local account verified`,
    spec: 'packages/starter/functional/social/linking.spec.ts',
    file: 'packages/kit/src/social/linking.ts',
    code: "known.says !== 'verified' || !known.isTrusted",
    broken: '!known.isTrusted',
  },
  {
    title: 'it ends every session of the user, the one that asked too, and no other',
    file: 'packages/kit/src/password_reset/broker.ts',
    code: 'await this.#recover(user, this.users, ctx)',
    broken: 'undefined',
  },
  {
    title: 'only hashes of codes, refresh tokens and client secrets are stored',
    file: 'packages/kit/src/oauth2/clients/clients.ts',
    code: 'secret && hashSecret(secret)',
    broken: 'secret',
  },
  {
    title: 'the name is looked up once, and the connection goes to what was judged',
    file: 'packages/kit/src/oauth2/clients/documents/document_fetcher.ts',
    code: 'answerWith(addresses)',
    broken: 'undefined',
  },
  {
    title: '{error} is a page with its address in words and a link',
    file: 'packages/kit/src/oauth2/controllers/departure_page.ts',
    code: 'client.source === null',
    broken: 'true',
  },
  {
    title: 'who is not signed in signs in first',
    file: 'packages/kit/src/oauth2/authorize/check_fetch.ts',
    code: "await services.clients.needsFetch(request.parameters.require('client_id'))",
    broken: 'false',
  },
  {
    title: 'a token of another kind that the issuer has signed is refused: {$self}',
    file: 'packages/kit/src/oauth2/trusted_issuers/identity_assertions.ts',
    code: 'await verifyBy(keys, assertion, isIdentityAssertion)',
    broken: 'await verifyBy(keys, assertion, () => true)',
  },
  {
    title: 'metadata are refused when {title}',
    file: 'packages/kit/src/oauth2/trusted_issuers/issuer_keys.ts',
    code: '!isSameUrl(issuer, url)',
    broken: 'false',
  },
]
