/** What a check has found: nothing wrong, something to know, or something to mend. */
export interface Finding {
  level: 'ok' | 'warning' | 'error'
  /** What was checked, in a word or two. */
  about: string
  /** One sentence, with what to do when something is wrong. */
  text: string
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warning = (about: string, text: string): Finding => ({ level: 'warning', about, text })
export const error = (about: string, text: string): Finding => ({ level: 'error', about, text })
