const OAUTH = /^\/oauth\//

/** What is wrong with the form of an answer to a request that failed; null for nothing. */
export function complaintAbout(path: string, response: Response, body: any): string | null {
  const { status, headers } = response
  if (status < 500) {
    return null
  }
  if (status === 503 && !/^\d+$/.test(headers.get('retry-after') ?? '')) {
    return 'was answered 503 without Retry-After'
  }
  if (![500, 503].includes(status)) {
    return `was answered ${status}`
  }
  if (OAUTH.test(path)) {
    const error = status === 503 ? 'temporarily_unavailable' : 'server_error'
    return body?.error === error && /no-store/.test(headers.get('cache-control') ?? '')
      ? null
      : `was answered ${status} in another form than OAuth's`
  }
  return body && (body.error || body.message) ? null : `was answered ${status} without a message`
}
