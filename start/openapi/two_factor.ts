import {
  constant,
  count,
  describeRoutes,
  listOf,
  object,
  PAGE,
  text,
  yesNo,
} from 'adonis-auth-kit/openapi/describe'
import { signedIn } from '#start/openapi/shapes'
import { twoFactorLoginValidator, twoFactorSetupValidator } from '#validators/two_factor'

const codes = object({ recovery_codes: listOf(text) })

/** The second factor: start/two_factor.ts. */
export default describeRoutes('Second factor', {
  'GET /login/two-factor': PAGE,
  'POST /login/two-factor': {
    summary: 'Go on with a sign-in, by a code',
    body: twoFactorLoginValidator,
    answers: { 200: signedIn },
  },
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
