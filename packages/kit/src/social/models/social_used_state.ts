import { SocialUsedStateSchema } from '#database/schema'

/** The state of a sign-in that was answered, so that no answer counts twice. Its key is the hash of the state. */
export default class SocialUsedState extends SocialUsedStateSchema {}
