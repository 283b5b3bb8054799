import {
  constant,
  describeRoutes,
  object,
  oneOf,
  orNull,
  PAGE,
  text,
  yesNo,
} from '#openapi/describe'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'

const address = object({ email: text, verified: yesNo, proposed_email: orNull(text) })

/** Who is signed in now, as the application describes them, or the step that a sign-in still takes. */
const signedIn = oneOf(
  object({ user: { type: 'object' } }),
  object({}, { two_factor: constant(true) })
)

/** What providers of the kit mount for accounts. */
export default describeRoutes('Accounts', {
  'GET /openapi.json': {
    summary: 'This description',
    answers: { 200: { type: 'object', required: ['openapi', 'paths'] } },
  },
  'GET /metrics': PAGE,
  'GET /__auth__/csrf-cookie': {
    summary: 'A session and its CSRF token for a single-page app',
    answers: { 204: null },
  },
  'GET /password/forgot': PAGE,
  'GET /password/reset': PAGE,
  'POST /password/email': {
    summary: 'Mail a link that resets the password',
    body: passwordEmailValidator,
    answers: { 200: object({ status: text }, { token: text }) },
  },
  'POST /password/reset': {
    summary: 'Set a new password with the token of a link',
    body: passwordResetValidator,
    answers: { 200: object({ status: constant('password reset') }) },
  },
  'GET /email/verify': {
    summary: 'Whether the e-mail address is verified',
    signedIn: true,
    answers: { 200: address },
  },
  'POST /email/verify': {
    summary: 'Send another link',
    signedIn: true,
    answers: { 200: object({ status: constant('link sent') }) },
  },
  'GET /email/verify/:id': PAGE,
  'POST /email/verify/:id': {
    summary: 'Verify the address of a link',
    body: object({}, { password: text }),
    answers: { 200: object({ status: constant('address verified') }) },
  },
  'GET /login/code': PAGE,
  'POST /login/code': {
    summary: 'Mail a code that signs in',
    body: object({}, { email: text, remember: yesNo }),
    answers: { 200: object({ status: text }) },
  },
  'POST /login/code/verify': {
    summary: 'Sign in with the code of a mail',
    body: object({ mail_code: text }),
    answers: { 200: signedIn },
  },
  'GET /confirm/code': PAGE,
  'POST /confirm/code': {
    summary: 'Mail a code that proves again who is there',
    signedIn: true,
    answers: { 200: object({ status: constant('code sent') }) },
  },
  'POST /confirm/code/verify': {
    summary: 'Prove again who is there, with the code of a mail',
    signedIn: true,
    body: object({ mail_code: text }),
    answers: { 200: object({ status: constant('confirmed') }) },
  },
})
