import {
  anyObject,
  describeRoutes,
  instant,
  listOf,
  object,
  orNull,
  text,
} from 'adonis-auth-kit/openapi/describe'

/** start/security_log.ts */
export default describeRoutes('Accounts', {
  'GET /account/security': {
    summary: 'What has happened to the security of the account',
    answers: {
      200: object({
        events: listOf(
          object({
            type: text,
            details: anyObject,
            created_at: instant,
            ip_address: orNull(text),
            user_agent: orNull(text),
            browser: orNull(text),
            system: orNull(text),
          })
        ),
      }),
    },
  },
})
