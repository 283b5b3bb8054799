import {
  constant,
  count,
  describeRoutes,
  listOf,
  object,
  PAGE,
  text,
  yesNo,
} from '#openapi/describe'
import { twoFactorSetupValidator } from '#two_factor/validators'

const codes = object({ recovery_codes: listOf(text) })

/** The second factor of an account; its step of a sign-in answers as the application's does. */
export default describeRoutes('Second factor', {
  'GET /account/two-factor': {
    summary: 'Whether it is on',
    answers: { 200: object({ enabled: yesNo, recovery_codes_left: count }) },
  },
  'POST /account/two-factor': {
    summary: 'Begin to set it up',
    answers: { 201: object({ secret: text, uri: text, qr_code: text }) },
  },
  'GET /account/two-factor/setup': PAGE,
  'POST /account/two-factor/enable': {
    summary: 'Turn it on with the first code',
    body: twoFactorSetupValidator,
    answers: { 200: codes },
  },
  'GET /account/two-factor/recovery-codes': PAGE,
  'POST /account/two-factor/recovery-codes': {
    summary: 'Replace the recovery codes',
    answers: { 200: codes },
  },
  'POST /account/two-factor/disable': {
    summary: 'Turn it off',
    answers: { 200: object({ enabled: constant(false) }) },
  },
})
