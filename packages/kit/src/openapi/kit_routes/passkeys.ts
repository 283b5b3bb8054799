import {
  constant,
  describeRoutes,
  instant,
  key,
  listOf,
  object,
  orNull,
  text,
} from '#openapi/describe'
import {
  newPasskeyValidator,
  passkeyConfirmationValidator,
  passkeyNameValidator,
} from '#passkeys/validators'

const passkey = object({
  id: key,
  name: text,
  last_used_at: orNull(instant),
  created_at: instant,
})

/** What `navigator.credentials` takes (WebAuthn Level 3). */
const options = { type: 'object', properties: { challenge: text }, required: ['challenge'] }
const ask = { summary: 'What the browser asks for a passkey with', answers: { 200: options } }
const remove = { summary: 'Remove a passkey', answers: { 204: null } }

/** Passkeys of an account; a sign-in with one answers as the application's does. */
export default describeRoutes('Passkeys', {
  'POST /login/passkey/options': ask,
  'POST /confirm/passkey/options': ask,
  'POST /confirm/passkey': {
    summary: 'Prove again who is there, with a passkey',
    body: passkeyConfirmationValidator,
    answers: { 200: object({ status: constant('confirmed') }) },
  },
  'GET /account/passkeys': {
    summary: 'The passkeys of the account',
    answers: { 200: object({ passkeys: listOf(passkey) }) },
  },
  'POST /account/passkeys/options': {
    summary: 'What the browser makes a passkey with',
    answers: { 200: options },
  },
  'POST /account/passkeys': {
    summary: 'Add a passkey',
    body: newPasskeyValidator,
    answers: { 201: passkey },
  },
  'POST /account/passkeys/:id': {
    summary: 'Rename a passkey',
    body: passkeyNameValidator,
    answers: { 204: null },
  },
  'POST /account/passkeys/:id/remove': remove,
  'DELETE /account/passkeys/:id': remove,
})
