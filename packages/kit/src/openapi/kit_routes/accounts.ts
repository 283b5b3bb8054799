import { describeRoutes, constant, object, orNull, PAGE, text, yesNo } from '#openapi/describe'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'

const address = object({ email: text, verified: yesNo, proposed_email: orNull(text) })

/** What providers of the kit mount for accounts. */
export default describeRoutes('Accounts', {
  'GET /openapi.json': {
    summary: 'This description',
    answers: { 200: { type: 'object', required: ['openapi', 'paths'] } },
  },
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
})
