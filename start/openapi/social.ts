import {
  constant,
  count,
  describeRoutes,
  instant,
  key,
  listOf,
  object,
  oneOf,
  orNull,
  PAGE,
  text,
  url,
} from 'adonis-auth-kit/openapi'
import { signedIn } from '#start/openapi/shapes'
import { socialLoginValidator } from '#validators/social'

const begin = { answers: { 200: object({ authorization_url: url }) } }
const remove = { summary: 'Disconnect an identity', answers: { 204: null } }

const outcome = oneOf(
  signedIn,
  object({}, { sign_in_required: constant(true), verify_address: constant(true) }),
  object({ status: { enum: ['confirmed', 'linked'] } })
)
const finish = { summary: 'Where a provider leads back to', answers: { 200: outcome } }

/** start/social.ts */
export default describeRoutes('Sign-in through others', {
  'GET /auth/address': { ...finish, summary: 'Where the link of a mail leads' },
  'POST /auth/:name': {
    summary: 'Begin to sign in through a provider',
    body: socialLoginValidator,
    ...begin,
  },
  'GET /auth/:name/callback': finish,
  'POST /auth/:name/callback': PAGE,
  'POST /confirm/social/:name': { summary: 'Begin to prove again who is there', ...begin },
  'GET /account/sign-in-methods': {
    summary: 'How the caller can sign in',
    answers: {
      200: object({
        password: { type: 'boolean' },
        passkeys: count,
        identities: listOf(
          object({
            id: key,
            provider: text,
            issuer: text,
            email: orNull(text),
            created_at: instant,
            last_used_at: instant,
          })
        ),
        providers: listOf(object({ name: text, label: text })),
      }),
    },
  },
  'GET /account/sign-in-methods/join': PAGE,
  'POST /account/sign-in-methods/join': {
    summary: 'Connect the identity that waits',
    answers: { 200: object({ status: constant('linked') }) },
  },
  'POST /account/sign-in-methods/link/:name': {
    summary: 'Begin to connect an identity with the account',
    ...begin,
  },
  'POST /account/sign-in-methods/:id/remove': remove,
  'DELETE /account/sign-in-methods/:id': remove,
})
