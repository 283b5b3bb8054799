import { PasskeyUsedChallengeSchema } from '#database/schema'

/** A challenge that was answered, so that no answer counts twice. Its key is the hash of the challenge. */
export default class PasskeyUsedChallenge extends PasskeyUsedChallengeSchema {}
