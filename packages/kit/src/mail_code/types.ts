import type { MaybePromise } from '#process/maybe_promise'

/** A code that was sent. Instants are epoch milliseconds. */
export interface MailCodeRecord {
  /** Known to the browser that asked for the code, and to no other. */
  id: string
  /** A keyed hash of the code: whoever reads the row cannot try the million codes. */
  hash: string
  tries: number
  expiresAt: number
}

/** Where codes are stored. Methods may be sync or async. */
export interface MailCodeStore {
  insert(code: MailCodeRecord): MaybePromise<void>

  /**
   * Uses one try of a code up, before the answer is compared. Of several concurrent calls
   * each uses one up.
   *
   * @returns the hash of the code; null when it is unknown or expired, or has no try left
   */
  try(id: string, now: number): MaybePromise<string | null>

  /** Deletes a code; of several concurrent calls one returns true. */
  consume(id: string): MaybePromise<boolean>

  /** Deletes expired codes, and returns how many. It may stop early and leave some to the next run. */
  purge(now: number): MaybePromise<number>
}

/** What a code is for: it counts for nothing else. */
export type MailCodePurpose = 'login' | 'step' | 'confirm'

/** Delivers a code. */
export type MailCodeNotifier = (
  email: string,
  mail: {
    code: string
    /** A page with the code in its field. It works in the browser that asked. */
    link: string
    /** How long the code works. */
    minutes: number
  }
) => MaybePromise<void>
