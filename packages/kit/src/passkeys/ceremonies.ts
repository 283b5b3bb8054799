import { createHash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

import type { Owner } from '#auth/users'
import { pendingByName } from '#http/pending'
import { type Passkey, type UsedChallenge, listPasskeys } from '#passkeys/database'
import type { ResolvedPasskeysConfig } from '#passkeys/define_config'
import { assertOr } from '#process/assert_or'

/** What a browser answered. The library checks what is in it. */
export type BrowserAnswer = Record<string, unknown>

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms), in the order of preference. */
const ALGORITHMS = [-8, -7, -257]

/** What a challenge is for. An answer to one purpose counts for no other. */
export type ChallengePurpose = 'register' | 'login' | 'confirm'

type Challenge = { purpose: ChallengePurpose; expiresAt: number }

/** The challenges that were not answered yet. No other session can answer them. */
const challenges = pendingByName<Challenge>('passkey_challenges')
/** When a challenge ends: the sign-in page waits for a passkey as long as it is open. */
const inHalfAnHour = () => Date.now() + 30 * 60 * 1000

/** Loaded with the first passkey: nobody else pays for it. */
const library = () => import('@simplewebauthn/server')

/** WebAuthn's "user handle": it names nobody, and is the same for all passkeys of a person. */
function handleOf({ userId, provider }: Owner): Buffer {
  return createHash('sha256').update(`passkeys:${provider}:${userId}`).digest()
}

/** The options for a new passkey (WebAuthn §5.4). */
export async function creationOptions(
  config: ResolvedPasskeysConfig,
  owner: Owner,
  username: string,
  ctx: HttpContext
) {
  const { generateRegistrationOptions } = await library()
  const known = await listPasskeys(owner)
  const options = await generateRegistrationOptions({
    rpName: config.name,
    rpID: config.rpId,
    userID: new Uint8Array(handleOf(owner)),
    userName: username,
    userDisplayName: username,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  challenges.keep(ctx, options.challenge, { purpose: 'register', expiresAt: inHalfAnHour() })
  return options
}

/** The options to ask for a passkey (WebAuthn §5.5). With none `known` the person chooses among theirs. */
export async function requestOptions(
  config: ResolvedPasskeysConfig,
  purpose: ChallengePurpose,
  known: readonly Passkey[],
  ctx: HttpContext
) {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: config.rpId,
    userVerification: 'required',
    allowCredentials: known.map(describe),
  })
  challenges.keep(ctx, options.challenge, { purpose, expiresAt: inHalfAnHour() })
  return options
}

/** Checks a new passkey (WebAuthn §7.1). @throws {Error} whatever is wrong with it */
export async function verifyCreation(
  config: ResolvedPasskeysConfig,
  answer: BrowserAnswer,
  ctx: HttpContext
) {
  const { verifyRegistrationResponse } = await library()
  const { expectations, challenge } = expectationsOf(config, 'register', answer, ctx)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...expectations,
    response: answer as unknown as RegistrationResponseJSON,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  assertOr(verified, Error, 'the attestation is not valid')
  const { id: credentialId, counter, transports = [], ...key } = registrationInfo.credential
  const publicKey = Buffer.from(key.publicKey).toString('base64url')
  return { row: { credentialId, publicKey, counter, transports }, challenge: challenge() }
}

/** Checks an answer with a passkey (WebAuthn §7.2). @throws {Error} whatever is wrong with it */
export async function verifyUse(
  config: ResolvedPasskeysConfig,
  purpose: ChallengePurpose,
  passkey: Passkey,
  answer: BrowserAnswer,
  ctx: HttpContext
) {
  const { verifyAuthenticationResponse } = await library()
  const { expectations, challenge } = expectationsOf(config, purpose, answer, ctx)
  const response = answer as unknown as AuthenticationResponseJSON
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'))
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...expectations,
    response,
    credential: { id: passkey.credentialId, publicKey, counter: passkey.counter },
  })
  assertOr(verified, Error, 'the signature is not valid')
  const { userHandle } = response.response
  const isOfUser = !userHandle || handleOf(passkey).equals(Buffer.from(userHandle, 'base64url'))
  assertOr(isOfUser, Error, 'the passkey names another user')
  return { counter: authenticationInfo.newCounter, challenge: challenge() }
}

/** What an answer has to fit. It takes its challenge out of the session, and tells it afterwards. */
function expectationsOf(
  { origins, rpId }: ResolvedPasskeysConfig,
  purpose: ChallengePurpose,
  answer: BrowserAnswer,
  ctx: HttpContext
) {
  const { clientDataJSON } = answer.response as { clientDataJSON: string }
  const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
  /* No other site has these pages in a frame (WebAuthn Level 3, §7.1 and §7.2). */
  assertOr(!crossOrigin && !topOrigin, Error, 'the passkey was used in a frame of another site')
  let answered = ''
  const expectations = {
    expectedChallenge(challenge: string): boolean {
      answered = challenge
      const kept = challenges.take(ctx, challenge)
      return kept?.purpose === purpose
    },
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: true,
  }
  const challenge = (): UsedChallenge => ({ challenge: answered, expiresAt: inHalfAnHour() })
  return { expectations, challenge }
}

const describe = ({ credentialId, transports }: Passkey) => ({ id: credentialId, transports })
