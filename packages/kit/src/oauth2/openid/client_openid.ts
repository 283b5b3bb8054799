/** What a client has of OpenID Connect. */
export type ClientOpenId = {
  /** Where a person may be sent after a logout that the client asked for. */
  postLogoutRedirectUris: readonly string[]
  /** Where the client hears of the end of a session; null when it does not want to. */
  backchannelLogoutUri: string | null
  /**
   * Who knows users by the same pairwise subjects: a host, or the client's id
   * (OpenID Connect Core 1.0 §8.1); null for public subjects.
   */
  pairwiseSector: string | null
}
