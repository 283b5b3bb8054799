import { createHash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

import type { Owner } from '#auth/users'
import { isExpired } from '#database/expiry'
import { type UsedChallenge, passkeyRows } from '#passkeys/database'
import type { ResolvedPasskeysConfig } from '#passkeys/define_config'
import type Passkey from '#passkeys/models/passkey'

/** What a browser answered. The library checks what is in it. */
export type BrowserAnswer = Record<string, unknown>

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms): what authenticators have, in the order of preference. */
const ALGORITHMS = [-8, -7, -257]

/** What a challenge is for. An answer to one purpose counts for no other. */
export type ChallengePurpose = 'register' | 'login' | 'confirm'

interface Challenge {
  purpose: ChallengePurpose
  challenge: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Value of the session with the challenges that were not answered yet. */
const KEY = 'passkey_challenges'

/** Milliseconds. The sign-in page waits for a passkey as long as it is open. */
const CHALLENGE_LIFETIME = 30 * 60 * 1000

/** People have several tabs open; more are forgotten. */
const MAX_CHALLENGES = 5

/** Loaded with the first passkey: nobody else pays for it. */
const library = () => import('@simplewebauthn/server')

/**
 * The user of passkeys as authenticators know them (WebAuthn's "user handle"): it
 * names nobody, and is the same for all passkeys of a person.
 */
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
  const known = await passkeyRows.list(owner)
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
  keepChallenge(ctx, 'register', options.challenge)
  return options
}

/**
 * The options to ask for a passkey (WebAuthn §5.5).
 *
 * @param known the passkeys that are asked for; without it the person chooses among all that they have here
 */
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
  keepChallenge(ctx, purpose, options.challenge)
  return options
}

/** Checks a new passkey (WebAuthn §7.1). @throws {Error} whatever is wrong with it */
export async function verifyCreation(
  config: ResolvedPasskeysConfig,
  answer: BrowserAnswer,
  ctx: HttpContext
) {
  const { verifyRegistrationResponse } = await library()
  const used = challengeTaker(ctx, 'register')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: answer as unknown as RegistrationResponseJSON,
    expectedChallenge: used.take,
    expectedOrigin: [...config.origins],
    expectedRPID: config.rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!verified) {
    throw new Error('the attestation is not valid')
  }
  const { id, publicKey, counter, transports } = registrationInfo.credential
  return {
    row: {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports ?? [],
    },
    challenge: used.challenge(),
  }
}

/**
 * Checks an answer with a passkey (WebAuthn §7.2).
 * @returns the new counter, and the challenge that was answered
 * @throws {Error} whatever is wrong with it
 */
export async function verifyUse(
  config: ResolvedPasskeysConfig,
  purpose: ChallengePurpose,
  passkey: Passkey,
  answer: BrowserAnswer,
  ctx: HttpContext
) {
  const { verifyAuthenticationResponse } = await library()
  const used = challengeTaker(ctx, purpose)
  const response = answer as unknown as AuthenticationResponseJSON
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: used.take,
    expectedOrigin: [...config.origins],
    expectedRPID: config.rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  })
  if (!verified) {
    throw new Error('the signature is not valid')
  }
  const { userHandle } = response.response
  if (userHandle && !handleOf(passkey).equals(Buffer.from(userHandle, 'base64url'))) {
    throw new Error('the passkey names another user')
  }
  return { counter: authenticationInfo.newCounter, challenge: used.challenge() }
}

/** Takes the challenge that an answer names out of the session, and tells it afterwards. */
function challengeTaker(ctx: HttpContext, purpose: ChallengePurpose) {
  let answered = ''
  return {
    take(challenge: string): boolean {
      answered = challenge
      return takeChallenge(ctx, purpose, challenge)
    },
    challenge: (): UsedChallenge => ({
      challenge: answered,
      expiresAt: Date.now() + CHALLENGE_LIFETIME,
    }),
  }
}

function describe({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports }
}

/** Keeps a challenge in the session that asked for it: no other session can answer it. */
function keepChallenge({ session }: HttpContext, purpose: ChallengePurpose, challenge: string) {
  const added = { purpose, challenge, expiresAt: Date.now() + CHALLENGE_LIFETIME }
  session.put(KEY, [...liveOnes(session), added].slice(-MAX_CHALLENGES))
}

/** Takes a challenge out of the session; false when it has none like it. */
function takeChallenge(
  { session }: HttpContext,
  purpose: ChallengePurpose,
  challenge: string
): boolean {
  const challenges = liveOnes(session)
  const others = challenges.filter((other) => other.challenge !== challenge)
  const found = challenges.some((one) => one.challenge === challenge && one.purpose === purpose)
  session.put(KEY, others)
  return found
}

function liveOnes(session: HttpContext['session']): Challenge[] {
  const kept: Challenge[] = session.get(KEY, [])
  return kept.filter(({ expiresAt }) => !isExpired(expiresAt))
}
