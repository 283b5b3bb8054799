import { SocialIdentitySchema } from '#database/schema'

/** An identity of a user at a provider. Instants are epoch milliseconds. */
export default class SocialIdentity extends SocialIdentitySchema {}
