import { defineConfig } from '#throttle/define_config'

/**
 * Limits on failed attempts, against guessing: successful logins and client
 * authentications never count. Where the counts are kept: config/limiter.ts.
 */
export default defineConfig({
  /** A device that has signed in before is counted apart, so that strangers cannot lock its user out. */
  failedLogins: {
    perSubjectAndAddress: { attempts: 10, seconds: 60 },
    perSubject: { attempts: 100, seconds: 3600 },
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Client secrets are too long to guess: these limits keep the work down. */
  failedClientAuthentications: {
    perSubjectAndAddress: { attempts: 100, seconds: 60 },
    perAddress: { attempts: 10_000, seconds: 3600 },
  },

  /** Every request for a mail counts. A mailbox also has the "throttle" of its broker in config/auth.ts. */
  passwordMails: {
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Every request for an account counts, because each costs a password hash. */
  registrations: {
    perAddress: { attempts: 100, seconds: 3600 },
  },
})
