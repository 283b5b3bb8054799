import { describeRoutes, object, PAGE, text } from 'adonis-auth-kit/openapi'
import { passkeyLoginValidator } from 'adonis-auth-kit/passkeys'
import { twoFactorLoginValidator } from 'adonis-auth-kit/two_factor'
import { signedIn, user } from '#start/openapi/shapes'
import { loginValidator, profileValidator, registerValidator } from '#validators/user'

/** Signing up, in and out, and the profile: start/session.ts. */
export default describeRoutes('Accounts', {
  'GET /register': PAGE,
  'POST /register': {
    summary: 'Create an account',
    body: registerValidator,
    fields: { password_confirmation: text },
    example: {
      full_name: 'Ann',
      email: 'ann@example.com',
      password: 'a secret of mine',
      password_confirmation: 'a secret of mine',
    },
    answers: { 201: object({ user }) },
  },
  'GET /login': PAGE,
  'POST /login': {
    summary: 'Sign in',
    body: loginValidator,
    example: { email: 'ann@example.com', password: 'a secret of mine' },
    answers: { 200: signedIn },
  },
  'POST /logout': { summary: 'Sign out', answers: { 200: object({ user: { type: 'null' } }) } },
  'POST /language': PAGE,
  'GET /.well-known/change-password': PAGE,
  'GET /account': { summary: 'The account', answers: { 200: object({ user }) } },
  'POST /account': {
    summary: 'Change the name',
    body: profileValidator,
    answers: { 200: object({ user }) },
  },
  'GET /login/two-factor': PAGE,
  'POST /login/two-factor': {
    summary: 'Go on with a sign-in, by a code',
    body: twoFactorLoginValidator,
    answers: { 200: signedIn },
  },
  'POST /login/passkey': {
    summary: 'Sign in with a passkey',
    body: passkeyLoginValidator,
    answers: { 200: signedIn },
  },
})
