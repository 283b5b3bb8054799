interface Change {
  /** An expression that stands in the sources once, however it is broken into lines: code may move. */
  code: string
  /** What it stands in, where it stands in several places. */
  within?: string
  broken: string
}

/** A way to break a promise: one expression becomes another. */
export interface Mutation extends Change {
  /** Title of the test that notices. */
  title: string
  /** Its file; that of the promise with this test in SECURITY.md when absent. */
  spec?: string
  /** Breaks with it, where two things hold the promise. */
  and?: Change
}

export const MUTATIONS: Mutation[] = [
  {
    title: 'the id from before a login is dead: a fixed session is not signed in',
    code: 'await this.service.destroy(previous)',
    broken: 'undefined',
  },
  {
    title: 'an id that the caller chose is never taken over',
    code: 'ctx.request.cookie(config.cookie)',
    broken: 'ctx.request.plainCookie(config.cookie, { encoded: false })',
  },
  {
    title: 'the id is stored as a hash',
    code: 'this.store.create(hashSecret(id), record, caller)',
    broken: 'this.store.create(id, record, caller)',
  },
  {
    title: 'every unsafe method of a live session needs the token',
    code: 'UNSAFE_METHODS.includes(request.method())',
    broken: "request.method() === 'POST'",
  },
  {
    title: 'another token, the token of another session, and none at all are refused',
    spec: 'packages/starter/functional/session/csrf.spec.ts',
    code: '!safeEqual(token, live.record.csrfToken)',
    broken: "!safeEqual(token, ctx.request.cookiesList()[config.csrfCookie] ?? '')",
  },
  {
    title: 'nobody is signed in by a form of another site',
    code: 'isForeign(ctx, origin, origins)',
    broken: 'false',
  },
  {
    title: 'so is a request of another site without a type, or with an unknown one',
    code: "JSON_TYPE.test(ctx.request.header('content-type') ?? '')",
    broken: "!/form|text/.test(ctx.request.header('content-type') ?? '')",
  },
  {
    title: 'an origin that is not an exact member is refused before the token is looked at',
    code: '!allowed.includes(origin)',
    broken: '!allowed.some((one) => origin.startsWith(one))',
  },
  {
    title:
      'an unknown e-mail, a wrong password and an inactive user cost one hash each, and get the same answer',
    code: 'await this.hasher.verify(await this.#dummy(), password)',
    broken: 'undefined',
  },
  {
    title: 'a token works once, also when it is sent many times at once',
    code: 'await this.store.consume(email, token)',
    broken: 'true',
  },
  {
    title: 'only SHA-256 of the secret is stored',
    code: 'hashSecret(secret)',
    within: 'hash: hashSecret(secret), lastUsedAt',
    broken: 'secret',
  },
  {
    title: 'a confidential client’s loopback URI compares exactly',
    code: '!client.confidential && matchesLoopback(client, uri)',
    broken: 'matchesLoopback(client, uri)',
  },
  {
    title: 'an unknown client and an unregistered redirect_uri are told in place, signed in or not',
    code: 'client.redirectUris.includes(uri)',
    within: 'client.redirectUris.includes(uri) || (!client.confidential',
    broken: 'client.redirectUris.some((one) => uri.startsWith(one))',
  },
  {
    title: 'a code presented again revokes what it gave, the refreshed tokens too',
    code: 'await this.server.tokens.revokeAccessToken(accessTokenId, Date.now())',
    broken: 'undefined',
  },
  {
    title: 'reuse by the owning client revokes the whole family',
    code: 'await this.server.tokens.revokeFamily(familyOf(token), Date.now())',
    broken: 'undefined',
  },
  {
    title: 'a revoked token is refused at once, however often it was seen',
    code: 'record.revokedAt !== null',
    within: "if (record.revokedAt !== null) { return badToken('access token revoked') }",
    broken: 'false',
  },
  {
    title: 'a guard without an audience refuses resource-bound tokens',
    code: '!this.#isFor(resource, audience)',
    broken: 'audience !== null && !this.#isFor(resource, audience)',
  },
  {
    title: 'the handle of another session of the same user is unknown',
    code: 'record.sessionHash === sessionHashOf(ctx)',
    broken: 'true',
  },
  {
    title: 'scopes that were not requested are refused, and the request goes on waiting',
    code: '!requested.includes(scope)',
    broken: 'false',
  },
  {
    title: 'one private address among public ones is enough to refuse the host',
    code: 'addresses.every((address) => this.#options.isAllowed(address))',
    broken: 'addresses.some((address) => this.#options.isAllowed(address))',
  },
  {
    title: 'a client cannot present the assertion of another one',
    code: 'claims.client_id === client.id',
    broken: 'true',
  },
  {
    title: 'the account has a verified address: a stranger could have registered it',
    code: 'isVerified || !mustBeVerified',
    broken: 'true',
  },
  {
    title: 'an Origin that is not allowed is 403, whatever the method',
    code: 'config.allowedOrigins.has(origin.toLowerCase())',
    broken:
      '[...config.allowedOrigins].some((one) => new URL(one).hostname === new URL(origin).hostname)',
  },
  {
    title: 'a Host that is not a name of the server is 403 (DNS rebinding)',
    code: 'host !== null && (isLoopback(host) || config.allowedHosts.has(host))',
    broken: 'host !== null',
  },
  {
    title: 'an answer to the challenge of another session is refused',
    code: 'kept?.purpose === purpose',
    broken: 'true',
  },
  {
    title: 'also when ten use it at the same time: {what}',
    code: 'affectedRows(await query.update({ lastStep: step })) > 0',
    broken: '((await query.update({ lastStep: step })), true)',
  },
  {
    title: 'neither secret nor recovery codes are stored in plain text',
    code: "hashSecret(letters.replaceAll('o', '0').replace(/[il]/g, '1'))",
    broken: "letters.replaceAll('o', '0').replace(/[il]/g, '1')",
  },
  {
    title: '429 throttled with Retry-After when too many have failed, also with the right password',
    code: '!state || state.consumed < state.limit',
    broken: 'true',
  },
  {
    title: 'strangers cannot lock somebody out of a device that has signed in before',
    code: 'device !== null',
    broken: 'false',
  },
  {
    title: 'bytes past the 72nd matter',
    code: 'Buffer.byteLength(password) > BCRYPT_BYTES',
    broken: 'false',
  },
  {
    title: 'a link is refused: {what}',
    code: 'ctx.request.hasValidSignature(PURPOSE)',
    broken: 'true',
  },
  {
    title: 'a new password ends the links of before',
    code: '!safeEqual(this.#digestOf(user, email), String(state))',
    broken: 'false',
  },
  {
    title: 'verifies nothing for {what}: the account may be that of a stranger',
    code: 'await this.#assertOwn(user, password, ctx)',
    broken: 'undefined',
  },
  {
    title: 'ends all that was prepared, and verifies the address',
    code: 'verification && !verification.isVerified(user)',
    broken: 'false',
  },
  {
    title: 'none makes one without a fresh confirmation, by page, JSON or protocol',
    code: 'isOwn && isFresh',
    broken: 'isOwn',
  },
  {
    title: "a token of one person borrows no confirmation from another's session",
    code: 'Boolean(userId && guard && manager.usersOf(guard).identify(user) === userId)',
    broken: 'true',
  },
  {
    title: 'a confirmation in another session of the same person counts for nothing',
    code: 'session?.confirmedAt ?? null',
    broken: 'Date.now()',
  },
  {
    title: 'the session of somebody else is not found, and goes on',
    code: 'only !== null && (await this.destroyAllOf(user, users, { only })) > 0',
    broken: 'only !== null',
  },
  {
    title: 'a new device is told by mail; the first one and a known one are not',
    code: 'known === null && (await hasSignedIn(log, user, users, ctx))',
    broken: 'false',
  },
  {
    title: 'opens nothing: {path}',
    code: 'this.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: '{path}: the password alone is invalid_grant, which says what is missing',
    code: 'this.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: 'does not skip the second factor, and a reset signs nobody in',
    code: 'this.isOn(user, users)',
    broken: 'Promise.resolve(false)',
  },
  {
    title: 'a session that an attacker planted gets nowhere with the steps of its victim',
    code: 'await this.#replace(origin ? { userId: null, guard: null, origin } : null)',
    broken: 'undefined',
  },
  {
    title: 'whoever knows the password locks nobody out of a device that has signed in before',
    code: 'throttle?.trustDevice(ACTION, users.subjectOf(user), ctx, users.passwordStamp(user))',
    broken: 'undefined',
  },
  {
    title: 'is limited for each user, and a new password step gives no new guesses',
    code: 'attempt(features, ACTION, users.subjectOf(user), ctx, run, stamps)',
    broken: 'run()',
  },
  {
    title: 'a challenge for one purpose is refused for another',
    code: 'kept?.purpose === purpose',
    broken: 'kept !== undefined',
  },
  {
    title: 'the same callback twice at once: one is signed in',
    code: '!(await this.#useUp(attempt))',
    broken: 'false',
  },
  {
    title: 'mix-up: the answer of one provider at the address of another is refused',
    code: 'attempt.name !== name',
    broken: 'false',
  },
  {
    title: `nobody gets somebody else's account: says "unverified", trusted, local account verified`,
    spec: 'packages/starter/functional/social/linking.spec.ts',
    code: "says !== 'verified' || !isTrusted",
    broken: '!isTrusted',
  },
  {
    title: 'it ends every session of the user, the one that asked too, and no other',
    code: 'await manager.accountAccess.recover(user, this.users, ctx)',
    broken: 'undefined',
    and: {
      code: "await manager.feature('sessions')?.destroyAllOf(user, this.users)",
      broken: 'undefined',
    },
  },
  {
    title: 'only hashes of codes, refresh tokens and client secrets are stored',
    code: 'secret && hashSecret(secret)',
    broken: 'secret',
  },
  {
    title: 'the name is looked up once, and the connection goes to what was judged',
    code: 'answerWith(addresses)',
    broken: 'undefined',
  },
  {
    title: '{error} is a page with its address in words and a link',
    code: 'client.source === null',
    broken: 'true',
  },
  {
    title: 'who is not signed in signs in first',
    code: "await server.clients.needsFetch(request.parameters.require('client_id'))",
    broken: 'false',
  },
  {
    title: 'a token of another kind that the issuer has signed is refused: {$self}',
    code: 'MEDIA_TYPE',
    within: 'verifyBy(keys, assertion, MEDIA_TYPE) assertAssertion(',
    broken: '/^/',
  },
  {
    title: 'metadata are refused when {title}',
    code: "typeof issuer === 'string' && URL.parse(issuer)?.href === url",
    broken: 'true',
  },
  {
    title: 'credentials are never read from a query string',
    code: 'SAFE_METHODS.includes(request.method())',
    within: 'SAFE_METHODS.includes(request.method()) ? options',
    broken: 'true',
  },
  {
    title: 'bodies and headers are byte-identical for known, unknown, throttled and inactive',
    code: 'afterReply(async () => void (await broker.sendResetLink(email).catch(nullFor(Throttled))))',
    broken: 'await broker.sendResetLink(email)',
  },
  {
    title:
      'a session that takes a new id while it is ended, ends once, whichever process does what',
    code: 'session.login?.sid ?? key',
    broken: 'key',
  },
  {
    title: 'an address that somebody has looks like every other, and is not given away',
    code: '!isCurrent && (await this.#addresses.isTaken(target))',
    broken: 'false',
  },
  {
    title: 'replayed in the same session or in another one it is refused',
    code: 'kept?.purpose === purpose',
    broken: 'true',
    and: {
      code: '!(await useUp(challenge, trx))',
      within: '!(await useUp(challenge, trx))) { return false }',
      broken: 'false',
    },
  },
  {
    title: '401 for an answer {what}',
    code: '[...origins]',
    within: 'expectedOrigin: [...origins]',
    broken: "[...origins, 'https://evil.example']",
  },
  {
    title: 'a counter that does not go up is refused and told: the passkey was copied',
    code: 'passkey.counter',
    broken: '0',
    and: {
      code: 'counter',
      within: "'<', counter",
      broken: 'Number.MAX_SAFE_INTEGER',
    },
  },
  {
    title: 'an unknown address gets the same answers, rows, hashes and limits as a known one',
    code: "await manager.feature('throttle')?.penalize('verificationMails', subject, ctx)",
    broken: `(await users.findActiveByUsername(email)) &&
      (await manager.feature('throttle')?.penalize('verificationMails', subject, ctx))`,
  },
  {
    title: 'another browser can do nothing with it, and neither with the link',
    code: 'kept.keep(ctx, pending)',
    within: 'kept.keep(ctx, pending)',
    broken: 'kept.keep(ctx, (globalThis.firstCode ??= pending))',
  },
  {
    title: 'the same code at both at once: one session; wrong ones share five tries',
    code: 'await store.consume(pending.id)',
    broken: 'true',
  },
  {
    title: 'another password of the account ends the codes that were asked for before',
    code: 'found.every((hash) => hash === null)',
    broken: '!user',
  },
  {
    title: 'typ: an access token',
    code: String.raw`/^(application\/)?(logout\+jwt|jwt)$/i.test(typ)`,
    broken: 'true',
  },
  {
    title: 'whoever was signed in before has to confirm once more',
    code: 'provenAt >= join.createdAt',
    broken: 'true',
  },
  {
    title: 'in another browser it does nothing: whoever gets the mail lets nobody in',
    code: '!found || !safeEqual(found.secret, hashSecret(secret))',
    broken: '!found',
  },
  {
    title: 'a fresh sign-in is no proof: {path}',
    code: '!isRight',
    within: 'if (!isRight) { throw fieldError(ctx, field, rule) }',
    broken: 'false',
  },
  {
    title: 'DELETE: 204 and the token is gone; 404 for the token of somebody else',
    code: 'tokens.find(({ id }) => id === ctx.params.id)',
    broken: "{ id: ctx.params.id, name: '' }",
  },
  {
    title: 'is there and told by mail, when it was allowed by {way}',
    code: 'isNewConnection && !client.firstParty',
    broken: 'false',
  },
  {
    title: '{what} is 401 invalid_token, with one message for all',
    code: '!safeEqual(token.hash, hash)',
    broken: 'false',
  },
  {
    title: 'of 20 refreshes with one token at once exactly one succeeds, and the family dies',
    code: `\`UPDATE oauth_refresh_tokens
        SET rotated_at = ?, sealed_successor = ?, replayable_until = ?
        WHERE id = ? AND revoked_at IS NULL AND rotated_at IS NULL
        \${grant.sql} \${family} RETURNING 1\``,
    broken: `\`UPDATE oauth_refresh_tokens
        SET rotated_at = ?, sealed_successor = ?, replayable_until = ?
        WHERE id = ? \${grant.sql} \${family} RETURNING 1\``,
  },
  {
    title: 'the end of a grant against all that is issued under it leaves nothing alive',
    code: 'yield* revokeUnder(grantRows.read(row), now)',
    broken: 'undefined',
  },
  {
    title: 'of many approvals at once one gives a code',
    code: 'await this.#take()',
    within: 'await this.#take() const response',
    broken: 'undefined',
  },
  {
    title: 'a document that cannot be read is refused with one answer: {$self}',
    code: "'The metadata document of the client cannot be fetched.'",
    broken: '`The metadata document of the client cannot be fetched: ${reason}`',
  },
  {
    title: 'sees its own tokens alone',
    code: 'caller.source === null || clientId === caller.id',
    broken: 'true',
  },
  {
    title: 'cannot use a secret, nor act for themselves',
    code: 'config.grantTypes.includes(grantType) && (client === null || client.allowsGrant(grantType))',
    broken: 'config.grantTypes.includes(grantType)',
    and: {
      code: 'client.confidential',
      within: 'assertOr(client.confidential, UnauthorizedClient',
      broken: 'true',
    },
  },
  {
    title: 'are off until an issuer is trusted, and not in the metadata',
    code: 'when(trustedIssuers.length, [ID_JAG_PROFILE])',
    broken: '[ID_JAG_PROFILE]',
  },
  {
    title: 'of many requests with one at once a single one gets a token',
    code: "await tokens.used.use('identity_assertion', value, claims.exp * 1000)",
    broken: 'true',
  },
  {
    title: 'an unexpected error says nothing about its cause',
    code: "unforeseen ? 'Internal server error' : error.message",
    broken: 'error.message',
  },
  {
    title: 'no redirect leaves the application',
    code: "typeof url === 'string' && url.startsWith('/') && isValidRedirectUrl(url)",
    broken: "typeof url === 'string'",
    and: {
      code: 'request.cookie(INTENDED_URL)',
      broken: 'request.qs().redirect ?? request.cookie(INTENDED_URL)',
    },
  },
  {
    title: 'of two who verify one domain at once, one holds it',
    code: '{ verifiedDomain: domain }',
    broken: '{ verifiedDomain: `${row.id}.${domain}` }',
  },
  {
    title: 'it is trusted for its domain, and for no other',
    code: '[domain]',
    within: 'email.endsWith(`@${domain}`) : [domain]',
    broken: "['*']",
  },
  {
    title: 'everything that its metadata name is fetched from public addresses alone',
    code: 'isLocal ? undefined : this.#fetch',
    broken: 'undefined',
  },
  {
    title:
      'login, reset, code by mail and registration lead to the provider, with an account or without',
    code: '!holder || (hasPassword && !holder.forbidsPassword)',
    broken: '!holder || hasPassword',
  },
  {
    title: 'its sessions end, its identities are gone, and who is under way does not arrive',
    code: "await this.services.manager.feature('sessions')?.destroyFrom({ provider: row.name })",
    broken: 'undefined',
  },
]
