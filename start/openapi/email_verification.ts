import { describeRoutes, object, orNull, text, yesNo } from 'adonis-auth-kit/openapi/describe'
import { emailChangeValidator } from '#validators/account'

const answers = { 200: object({ email: text, verified: yesNo, proposed_email: orNull(text) }) }

/** start/email_verification.ts */
export default describeRoutes('Accounts', {
  'GET /account/email': { summary: 'The e-mail address', answers },
  'POST /account/email': {
    summary: 'Change the address; a link verifies the new one',
    body: emailChangeValidator,
    answers,
  },
  'POST /account/email/cancel': { summary: 'Forget the new address', answers },
})
