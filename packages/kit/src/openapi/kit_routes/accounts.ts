import { apiTokenValidator } from '#api_token/validators'
import { proofValidator } from '#auth/account_proof'
import { emailChangeValidator } from '#email_verification/validators'
import {
  anyObject,
  constant,
  count,
  created,
  describeRoutes,
  instant,
  instants,
  key,
  listOf,
  noContent,
  nullable,
  object,
  ok,
  oneOf,
  open,
  orNull,
  pages,
  status,
  text,
  texts,
  yesNo,
} from '#openapi/describe'
import {
  newPasskeyValidator,
  passkeyConfirmationValidator,
  passkeyNameValidator,
} from '#passkeys/validators'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'
import { passwordChangeValidator } from '#session/validators'
import { twoFactorSetupValidator } from '#two_factor/validators'

const address = object({ email: text, verified: yesNo, proposed_email: orNull(text) })

/** Who is signed in now, as the application describes them, or the step that a sign-in still takes. */
const signIn = oneOf(object({ user: anyObject }), object({}, { two_factor: constant(true) }))
const signedIn = true
const mailedCode = { body: object({ mail_code: text }) }

const device = nullable('ip_address', 'user_agent', 'browser', 'system')

const times = instants('created_at', 'last_activity', 'expires_at')
const session = object({ id: text, current: yesNo, ...nullable('provider'), ...device, ...times })

const event = object({ type: text, details: anyObject, created_at: instant, ...device })
const events = object({ events: listOf(event), page: count, has_more: yesNo })

const sessions = object({ sessions: listOf(session) })
const endOthers = ok('End all other sessions', object({ ended: count }))
const endOne = noContent('End a session')

const accounts = describeRoutes('Accounts', {
  'GET /openapi.json': ok('This description', { type: 'object', required: ['openapi', 'paths'] }),
  ...pages('GET /metrics', 'GET /openapi', 'GET /openapi/start.js', 'GET /openapi/swagger-ui.css'),
  ...pages('GET /openapi/swagger-ui-bundle.js'),
  'GET /__auth__/csrf-cookie': noContent('A session and its CSRF token for a single-page app'),
  ...pages('GET /password/forgot', 'GET /password/reset'),
  'POST /password/email': ok(
    'Mail a link that resets the password',
    object({ status: text }, { token: text }),
    { body: passwordEmailValidator }
  ),
  'POST /password/reset': ok(
    'Set a new password with the token of a link',
    status('password reset'),
    { body: passwordResetValidator }
  ),
  'GET /email/verify': ok('Whether the e-mail address is verified', address, { signedIn }),
  'POST /email/verify': ok('Send another link', status('link sent'), { signedIn }),
  ...pages('GET /email/verify/:id'),
  'POST /email/verify/:id': ok('Verify the address of a link', status('address verified'), {
    body: object({}, { password: text }),
  }),
  'POST /auth/:name/backchannel-logout': noContent(
    'Where a provider says that somebody has signed out there',
    { form: true, body: object({ logout_token: text }) }
  ),
  ...pages('GET /login/code', 'GET /confirm/code', 'GET /dev/mails', 'GET /dev/mails/:name'),
  'POST /login/code': ok('Mail a code that signs in', object({ status: text }), {
    body: object({}, { email: text, remember: yesNo }),
  }),
  'POST /login/code/verify': ok('Sign in with the code of a mail', signIn, mailedCode),
  'POST /confirm/code': ok('Mail a code that proves again who is there', status('code sent'), {
    signedIn,
  }),
  'POST /confirm/code/verify': ok(
    'Prove again who is there, with the code of a mail',
    status('confirmed'),
    { signedIn, ...mailedCode }
  ),
  ...pages('GET /confirm', 'GET /account/password', 'GET /account/delete'),
  'POST /confirm': ok('Prove again who is there', status('confirmed'), {
    body: proofValidator,
    example: { password: 'a secret of mine' },
  }),
  'POST /account/password': ok(
    'Change the password; other sessions end',
    status('password changed'),
    { body: passwordChangeValidator, fields: { password_confirmation: text } }
  ),
  'GET /account/access': ok(
    'What acts for the account beside its sessions',
    object({ access: listOf(object({ name: text, count })) })
  ),
  'POST /account/access/end': ok('End all of it', object({ ended: count })),
  'POST /account/delete': noContent('Delete the account', { body: proofValidator }),
  'GET /account/sessions': ok('Where the caller is signed in', sessions),
  'DELETE /account/sessions': endOthers,
  'POST /account/sessions/end-others': endOthers,
  'DELETE /account/sessions/:id': endOne,
  'POST /account/sessions/:id/end': endOne,
  'GET /account/security': ok('What has happened to the security of the account', events, {
    query: { page: count, show: oneOf(constant('sign_ins'), constant('changes')) },
  }),
  'GET /account/email': ok('The e-mail address', address),
  'POST /account/email': ok('Change the address; a link verifies the new one', address, {
    body: emailChangeValidator,
  }),
  'POST /account/email/cancel': ok('Forget the new address', address),
})

const codes = object({ recovery_codes: listOf(text) })
const secondFactorState = object({ enabled: yesNo, recovery_codes_left: count })

/** The second factor of an account; its step of a sign-in answers as the application's does. */
const secondFactor = describeRoutes('Second factor', {
  'GET /account/two-factor': ok('Whether it is on', secondFactorState),
  'POST /account/two-factor': created(
    'Begin to set it up',
    object(texts('secret', 'uri', 'qr_code'))
  ),
  ...pages('GET /account/two-factor/setup', 'GET /account/two-factor/recovery-codes'),
  'POST /account/two-factor/enable': ok('Turn it on with the first code', codes, {
    body: twoFactorSetupValidator,
  }),
  'POST /account/two-factor/recovery-codes': ok('Replace the recovery codes', codes),
  'POST /account/two-factor/disable': ok('Turn it off', object({ enabled: constant(false) })),
})

const passkey = object({ id: key, name: text, last_used_at: orNull(instant), created_at: instant })

/** What `navigator.credentials` takes (WebAuthn Level 3). */
const options = open(['challenge'], { challenge: text })
const ask = ok('What the browser asks for a passkey with', options)
const remove = noContent('Remove a passkey')

/** Passkeys of an account; a sign-in with one answers as the application's does. */
const passkeys = describeRoutes('Passkeys', {
  'POST /login/passkey/options': ask,
  'POST /confirm/passkey/options': ask,
  'POST /confirm/passkey': ok('Prove again who is there, with a passkey', status('confirmed'), {
    body: passkeyConfirmationValidator,
  }),
  'GET /account/passkeys': ok('The passkeys of the account', object({ passkeys: listOf(passkey) })),
  'POST /account/passkeys/options': ok('What the browser makes a passkey with', options),
  'POST /account/passkeys': created('Add a passkey', passkey, { body: newPasskeyValidator }),
  'POST /account/passkeys/:id': noContent('Rename a passkey', { body: passkeyNameValidator }),
  'POST /account/passkeys/:id/remove': remove,
  'DELETE /account/passkeys/:id': remove,
})

const used = { created_at: instant, last_used_at: orNull(instant) }
const named = { id: text, ...nullable('name') }
const details = { ...named, abilities: listOf(text), ...used, expires_at: orNull(instant) }

const tokens = ok(
  'The API tokens of the caller',
  object({ tokens: listOf(object({ ...details, ...nullable('context_name') })) })
)
const create = created(
  'Make an API token; its plain text is in this answer alone',
  object({ token: text, ...details }),
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

const app = object({
  ...texts('id', 'client_id', 'client_name'),
  ...nullable('client_host', 'redirect_host', 'resource', 'context_name'),
  scopes: listOf(text),
  context: orNull(anyObject),
  ...used,
})

const names = nullable('name', 'context_name')
const ends = { revoked: yesNo, expires_at: instant }
const token = object({ jti: text, ...names, scopes: listOf(text), ...ends, ...used })

const apps = ok('The clients that act for the caller', object({ connected_apps: listOf(app) }))
const disconnect = noContent('Disconnect a client')

/** start/oauth2.ts */
const connectedApps = describeRoutes('Connected apps', {
  ...pages('POST /account/access-tokens', 'POST /account/access-tokens/:jti/revoke'),
  'GET /account/access-tokens': ok('The personal access tokens of the caller', listOf(token)),
  'GET /account/connected-apps': apps,
  'POST /account/connected-apps/:id/disconnect': disconnect,
  'DELETE /account/connected-apps/:id': disconnect,
  'GET /api/connected-apps': apps,
  'DELETE /api/connected-apps/:id': disconnect,
})

export default [accounts, secondFactor, passkeys, apiTokens, connectedApps]
