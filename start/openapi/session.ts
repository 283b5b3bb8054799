import {
  constant,
  count,
  describeRoutes,
  instant,
  listOf,
  object,
  orNull,
  PAGE,
  text,
  yesNo,
} from 'adonis-auth-kit/openapi/describe'
import { signedIn, user } from '#start/openapi/shapes'
import { passwordChangeValidator, profileValidator, proofValidator } from '#validators/account'
import { loginValidator, registerValidator } from '#validators/user'

const endOthers = { summary: 'End all other sessions', answers: { 200: object({ ended: count }) } }
const endOne = { summary: 'End a session', answers: { 204: null } }

/** Signing up, in and out, and the account: start/session.ts. */
export default describeRoutes('Accounts', {
  'GET /register': PAGE,
  'POST /register': {
    summary: 'Create an account',
    body: registerValidator,
    fields: { password_confirmation: text },
    answers: { 201: object({ user }) },
  },
  'GET /login': PAGE,
  'POST /login': {
    summary: 'Sign in',
    body: loginValidator,
    answers: { 200: signedIn },
  },
  'POST /logout': { summary: 'Sign out', answers: { 200: object({ user: { type: 'null' } }) } },
  'POST /language': PAGE,
  'GET /dev/mails': PAGE,
  'GET /dev/mails/:name': PAGE,
  'GET /.well-known/change-password': PAGE,
  'GET /confirm': PAGE,
  'POST /confirm': {
    summary: 'Prove again who is there',
    body: proofValidator,
    answers: { 200: object({ status: constant('confirmed') }) },
  },
  'GET /account': { summary: 'The account', answers: { 200: object({ user }) } },
  'POST /account': {
    summary: 'Change the name',
    body: profileValidator,
    answers: { 200: object({ user }) },
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
            ip_address: orNull(text),
            user_agent: orNull(text),
            browser: orNull(text),
            system: orNull(text),
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
})
