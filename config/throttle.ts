import { defineConfig } from 'adonis-auth-kit/throttle/define_config'

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

  /** A code has six digits: whoever knows the password has few guesses. */
  failedSecondFactors: {
    perSubjectAndAddress: { attempts: 5, seconds: 60 },
    perSubject: { attempts: 20, seconds: 3600 },
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

  /** Every mail that verifies an address counts, by the account that asks for it and by the mailbox, and every invitation by the mailbox. */
  verificationMails: {
    perSubject: { attempts: 6, seconds: 3600 },
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Every OAuth client that registers itself counts (config/oauth2.ts, "dynamicRegistration"). */
  clientRegistrations: {
    perAddress: { attempts: 100, seconds: 3600 },
  },

  /** Every request counts for which the document of its client, or the keys of it, have to be fetched. */
  clientDocuments: {
    perAddress: { attempts: 20, seconds: 60 },
  },

  /** Every authorization request counts that a public client pushes, or one that no operator registered (config/oauth2.ts, "pushedRequests"). */
  pushedRequests: {
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Every device counts that asks to be signed in. */
  deviceAuthorizations: {
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Codes of devices that were typed and lead to none: a code has eight letters, and a person types their own. */
  deviceUserCodes: {
    perSubject: { attempts: 10, seconds: 3600 },
    perAddress: { attempts: 100, seconds: 3600 },
  },

  /** Every new workspace and every mail that invites somebody to one counts, by its person. */
  workspaces: {
    perSubject: { attempts: 60, seconds: 3600 },
    perAddress: { attempts: 1000, seconds: 3600 },
  },

  /** Calls of MCP tools, prompts and resources, successful ones too: of one user through one client. */
  mcpCalls: {
    perSubject: { attempts: 600, seconds: 60 },
  },

  /** The same for callers that are not signed in, about one session or tool: hosted clients share few addresses. */
  anonymousMcpCalls: {
    perSubjectAndAddress: { attempts: 600, seconds: 60 },
    perAddress: { attempts: 6000, seconds: 60 },
  },
})
