import { proofValidator } from '#auth/proof_validators'
import { emailChangeValidator } from '#email_verification/validators'
import {
  anyObject,
  constant,
  count,
  describeRoutes,
  instant,
  listOf,
  object,
  oneOf,
  orNull,
  PAGE,
  text,
  yesNo,
} from '#openapi/describe'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'
import { passwordChangeValidator } from '#session/validators'

const address = object({ email: text, verified: yesNo, proposed_email: orNull(text) })

/** Who is signed in now, as the application describes them, or the step that a sign-in still takes. */
const signedIn = oneOf(
  object({ user: { type: 'object' } }),
  object({}, { two_factor: constant(true) })
)

/** What is known of the caller's device. */
const device = {
  ip_address: orNull(text),
  user_agent: orNull(text),
  browser: orNull(text),
  system: orNull(text),
}

const endOthers = { summary: 'End all other sessions', answers: { 200: object({ ended: count }) } }
const endOne = { summary: 'End a session', answers: { 204: null } }

/** What the kit has for accounts. */
export default describeRoutes('Accounts', {
  'GET /openapi.json': {
    summary: 'This description',
    answers: { 200: { type: 'object', required: ['openapi', 'paths'] } },
  },
  'GET /metrics': PAGE,
  'GET /openapi': PAGE,
  'GET /openapi/start.js': PAGE,
  'GET /openapi/swagger-ui.css': PAGE,
  'GET /openapi/swagger-ui-bundle.js': PAGE,
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
  'POST /auth/:name/backchannel-logout': {
    summary: 'Where a provider says that somebody has signed out there',
    body: object({ logout_token: text }),
    answers: { 204: null },
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

  'GET /dev/mails': PAGE,
  'GET /dev/mails/:name': PAGE,
  'GET /confirm': PAGE,
  'POST /confirm': {
    summary: 'Prove again who is there',
    body: proofValidator,
    answers: { 200: object({ status: constant('confirmed') }) },
  },
  'GET /account/password': PAGE,
  'POST /account/password': {
    summary: 'Change the password; other sessions end',
    body: passwordChangeValidator,
    fields: { password_confirmation: text },
    answers: { 200: object({ status: constant('password changed') }) },
  },
  'GET /account/access': {
    summary: 'What acts for the account beside its sessions',
    answers: { 200: object({ access: listOf(object({ name: text, count })) }) },
  },
  'POST /account/access/end': {
    summary: 'End all of it',
    answers: { 200: object({ ended: count }) },
  },
  'GET /account/delete': PAGE,
  'POST /account/delete': {
    summary: 'Delete the account',
    body: proofValidator,
    answers: { 204: null },
  },
  'GET /account/sessions': {
    summary: 'Where the caller is signed in',
    answers: {
      200: object({
        sessions: listOf(
          object({
            id: text,
            current: yesNo,
            provider: orNull(text),
            ...device,
            created_at: instant,
            last_activity: instant,
            expires_at: instant,
          })
        ),
      }),
    },
  },
  'DELETE /account/sessions': endOthers,
  'POST /account/sessions/end-others': endOthers,
  'DELETE /account/sessions/:id': endOne,
  'POST /account/sessions/:id/end': endOne,
  'GET /account/security': {
    summary: 'What has happened to the security of the account',
    query: { page: count, show: oneOf(constant('sign_ins'), constant('changes')) },
    answers: {
      200: object({
        events: listOf(object({ type: text, details: anyObject, created_at: instant, ...device })),
        page: count,
        has_more: yesNo,
      }),
    },
  },
  'GET /account/email': { summary: 'The e-mail address', answers: { 200: address } },
  'POST /account/email': {
    summary: 'Change the address; a link verifies the new one',
    body: emailChangeValidator,
    answers: { 200: address },
  },
  'POST /account/email/cancel': {
    summary: 'Forget the new address',
    answers: { 200: address },
  },
})
