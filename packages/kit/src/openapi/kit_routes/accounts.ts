import { apiTokenValidator } from '#api_token/validators'
import { proofValidator } from '#auth/account_proof'
import { emailChangeValidator } from '#email_verification/validators'
import { created, describeRoutes, noContent, ok, pages } from '#openapi/describe'
import * as s from '#openapi/schemas'
import {
  newPasskeyValidator,
  passkeyConfirmationValidator,
  passkeyNameValidator,
} from '#passkeys/validators'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'
import { passwordChangeValidator } from '#session/validators'
import { twoFactorSetupValidator } from '#two_factor/validators'

const address = s.object({ email: s.text, verified: s.yesNo, proposed_email: s.orNull(s.text) })

/** Who is signed in now, as the application describes them, or the step that a sign-in still takes. */
const signIn = s.oneOf(
  s.object({ user: s.anyObject }),
  s.object({}, { two_factor: s.constant(true) })
)
const signedIn = true
const mailedCode = { body: s.object({ mail_code: s.text }) }

const device = s.nullable('ip_address', 'user_agent', 'browser', 'system')

const times = s.instants('created_at', 'last_activity', 'expires_at')
const session = s.object({
  id: s.text,
  current: s.yesNo,
  ...s.nullable('provider'),
  ...device,
  ...times,
})

const event = s.object({ type: s.text, details: s.anyObject, created_at: s.instant, ...device })
const events = s.object({ events: s.listOf(event), page: s.count, has_more: s.yesNo })

const sessions = s.object({ sessions: s.listOf(session) })
const endOthers = ok('End all other sessions', s.object({ ended: s.count }))
const endOne = noContent('End a session')

const accounts = describeRoutes('Accounts', {
  'GET /openapi.json': ok('This description', { type: 'object', required: ['openapi', 'paths'] }),
  ...pages('GET /metrics', 'GET /openapi', 'GET /openapi/start.js', 'GET /openapi/swagger-ui.css'),
  ...pages('GET /openapi/swagger-ui-bundle.js'),
  'GET /__auth__/csrf-cookie': noContent('A session and its CSRF token for a single-page app'),
  ...pages('GET /password/forgot', 'GET /password/reset'),
  'POST /password/email': ok(
    'Mail a link that resets the password',
    s.object({ status: s.text }, { token: s.text }),
    { body: passwordEmailValidator }
  ),
  'POST /password/reset': ok(
    'Set a new password with the token of a link',
    s.status('password reset'),
    { body: passwordResetValidator }
  ),
  'GET /email/verify': ok('Whether the e-mail address is verified', address, { signedIn }),
  'POST /email/verify': ok('Send another link', s.status('link sent'), { signedIn }),
  ...pages('GET /email/verify/:id'),
  'POST /email/verify/:id': ok('Verify the address of a link', s.status('address verified'), {
    body: s.object({}, { password: s.text }),
  }),
  'POST /auth/:name/backchannel-logout': noContent(
    'Where a provider says that somebody has signed out there',
    { form: true, body: s.object({ logout_token: s.text }) }
  ),
  ...pages('GET /login/code', 'GET /confirm/code', 'GET /dev/mails', 'GET /dev/mails/:name'),
  'POST /login/code': ok('Mail a code that signs in', s.object({ status: s.text }), {
    body: s.object({}, { email: s.text, remember: s.yesNo }),
  }),
  'POST /login/code/verify': ok('Sign in with the code of a mail', signIn, mailedCode),
  'POST /confirm/code': ok('Mail a code that proves again who is there', s.status('code sent'), {
    signedIn,
  }),
  'POST /confirm/code/verify': ok(
    'Prove again who is there, with the code of a mail',
    s.status('confirmed'),
    { signedIn, ...mailedCode }
  ),
  ...pages('GET /confirm', 'GET /account/password', 'GET /account/delete'),
  'POST /confirm': ok('Prove again who is there', s.status('confirmed'), {
    body: proofValidator,
    example: { password: 'a secret of mine' },
  }),
  'POST /account/password': ok(
    'Change the password; other sessions end',
    s.status('password changed'),
    { body: passwordChangeValidator, fields: { password_confirmation: s.text } }
  ),
  'GET /account/access': ok(
    'What acts for the account beside its sessions',
    s.object({ access: s.listOf(s.object({ name: s.text, count: s.count })) })
  ),
  'POST /account/access/end': ok('End all of it', s.object({ ended: s.count })),
  'POST /account/delete': noContent('Delete the account', { body: proofValidator }),
  'GET /account/sessions': ok('Where the caller is signed in', sessions),
  'DELETE /account/sessions': endOthers,
  'POST /account/sessions/end-others': endOthers,
  'DELETE /account/sessions/:id': endOne,
  'POST /account/sessions/:id/end': endOne,
  'GET /account/security': ok('What has happened to the security of the account', events, {
    query: { page: s.count, show: s.oneOf(s.constant('sign_ins'), s.constant('changes')) },
  }),
  'GET /account/email': ok('The e-mail address', address),
  'POST /account/email': ok('Change the address; a link verifies the new one', address, {
    body: emailChangeValidator,
  }),
  'POST /account/email/cancel': ok('Forget the new address', address),
})

const codes = s.object({ recovery_codes: s.listOf(s.text) })
const secondFactorState = s.object({ enabled: s.yesNo, recovery_codes_left: s.count })

/** The second factor of an account; its step of a sign-in answers as the application's does. */
const secondFactor = describeRoutes('Second factor', {
  'GET /account/two-factor': ok('Whether it is on', secondFactorState),
  'POST /account/two-factor': created(
    'Begin to set it up',
    s.object(s.texts('secret', 'uri', 'qr_code'))
  ),
  ...pages('GET /account/two-factor/setup', 'GET /account/two-factor/recovery-codes'),
  'POST /account/two-factor/enable': ok('Turn it on with the first code', codes, {
    body: twoFactorSetupValidator,
  }),
  'POST /account/two-factor/recovery-codes': ok('Replace the recovery codes', codes),
  'POST /account/two-factor/disable': ok('Turn it off', s.object({ enabled: s.constant(false) })),
})

const passkey = s.object({
  id: s.key,
  name: s.text,
  last_used_at: s.orNull(s.instant),
  created_at: s.instant,
})

/** What `navigator.credentials` takes (WebAuthn Level 3). */
const options = s.open(['challenge'], { challenge: s.text })
const ask = ok('What the browser asks for a passkey with', options)
const remove = noContent('Remove a passkey')

/** Passkeys of an account; a sign-in with one answers as the application's does. */
const passkeys = describeRoutes('Passkeys', {
  'POST /login/passkey/options': ask,
  'POST /confirm/passkey/options': ask,
  'POST /confirm/passkey': ok('Prove again who is there, with a passkey', s.status('confirmed'), {
    body: passkeyConfirmationValidator,
  }),
  'GET /account/passkeys': ok(
    'The passkeys of the account',
    s.object({ passkeys: s.listOf(passkey) })
  ),
  'POST /account/passkeys/options': ok('What the browser makes a passkey with', options),
  'POST /account/passkeys': created('Add a passkey', passkey, { body: newPasskeyValidator }),
  'POST /account/passkeys/:id': noContent('Rename a passkey', { body: passkeyNameValidator }),
  'POST /account/passkeys/:id/remove': remove,
  'DELETE /account/passkeys/:id': remove,
})

const used = { created_at: s.instant, last_used_at: s.orNull(s.instant) }
const named = { id: s.text, ...s.nullable('name') }
const details = { ...named, abilities: s.listOf(s.text), ...used, expires_at: s.orNull(s.instant) }

const tokens = ok(
  'The API tokens of the caller',
  s.object({ tokens: s.listOf(s.object({ ...details, ...s.nullable('context_name') })) })
)
const create = created(
  'Make an API token; its plain text is in this answer alone',
  s.object({ token: s.text, ...details }),
  { body: apiTokenValidator, example: { name: 'A script', abilities: ['posts:read'] } }
)
const revoke = noContent('Revoke an API token')

/** start/api_token.ts */
const apiTokens = describeRoutes('API tokens', {
  'GET /account/tokens': tokens,
  'POST /account/tokens': create,
  'POST /account/tokens/:id/revoke': revoke,
  'GET /api/tokens': tokens,
  'POST /api/tokens': create,
  'DELETE /api/tokens/:id': revoke,
})

const app = s.object({
  ...s.texts('id', 'client_id', 'client_name'),
  ...s.nullable('client_host', 'redirect_host', 'resource', 'context_name'),
  scopes: s.listOf(s.text),
  context: s.orNull(s.anyObject),
  ...used,
})

const names = s.nullable('name', 'context_name')
const ends = { revoked: s.yesNo, expires_at: s.instant }
const token = s.object({ jti: s.text, ...names, scopes: s.listOf(s.text), ...ends, ...used })

const apps = ok('The clients that act for the caller', s.object({ connected_apps: s.listOf(app) }))
const disconnect = noContent('Disconnect a client')

/** start/oauth2.ts */
const connectedApps = describeRoutes('Connected apps', {
  ...pages('POST /account/access-tokens', 'POST /account/access-tokens/:jti/revoke'),
  'GET /account/access-tokens': ok('The personal access tokens of the caller', s.listOf(token)),
  'GET /account/connected-apps': apps,
  'POST /account/connected-apps/:id/disconnect': disconnect,
  'DELETE /account/connected-apps/:id': disconnect,
  'GET /api/connected-apps': apps,
  'DELETE /api/connected-apps/:id': disconnect,
})

export default [accounts, secondFactor, passkeys, apiTokens, connectedApps]
