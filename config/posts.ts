/** The JSON:API example: `/api/posts`. */
export default {
  /** Whether anyone may read posts, or only who was granted `posts:read`. */
  publicReads: false,

  /** Posts of a page: unless the caller asks otherwise, and at most. */
  pageSizes: { perPage: 20, maxPerPage: 100 },
}
