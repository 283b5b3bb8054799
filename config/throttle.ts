import { defineConfig } from '#throttle/define_config'

/**
 * How often may fail what somebody else could be trying. Successful logins and
 * client authentications never count. Where the counts are kept: config/limiter.ts.
 */
export default defineConfig({
  failedLogins: {
    perSubjectAndAddress: { attempts: 500, seconds: 900 },
    perAddress: { attempts: 5000, seconds: 900 },
  },

  failedClientAuthentications: {
    perSubjectAndAddress: { attempts: 500, seconds: 900 },
    perAddress: { attempts: 5000, seconds: 900 },
  },

  /** Every request for a mail counts. A mailbox has the "throttle" of its broker in config/auth.ts besides. */
  passwordMails: {
    perAddress: { attempts: 1000, seconds: 3600 },
  },
})
