import type User from '#models/user'
import { defineClaims } from 'adonis-auth-kit/oauth2'

/**
 * What an OpenID Connect client learns of a person, by the scope that it was
 * allowed (OpenID Connect Core 1.0 §5.4). A scope of your own gets its claims
 * here, and its description in the catalogue of config/oauth2.ts. A claim without
 * a value is left out.
 */
export const openIdClaims = defineClaims<User>({
  profile: {
    name: (user) => user.fullName,
    updated_at: ({ updatedAt, createdAt }) => Math.floor((updatedAt ?? createdAt).toSeconds()),
  },
  email: {
    email: (user) => user.email,
    // feature: email_verification
    email_verified: (user) => Boolean(user.emailVerifiedAt),
    // /feature
  },
})
