/** JSON:API 1.1, The JSON:API Media Type. */
export const MEDIA_TYPE = 'application/vnd.api+json'

/** The extension for several writes in one request. */
export const ATOMIC_EXTENSION = 'https://jsonapi.org/ext/atomic'

/** The Content-Type of a document, with the profile that it follows and its extension (JSON:API 1.1, Extensions, Profiles). */
export function contentType(profile: string | null = null, extension: string | null = null) {
  const ext = extension === null ? '' : `; ext="${extension}"`
  return profile === null ? `${MEDIA_TYPE}${ext}` : `${MEDIA_TYPE}${ext}; profile="${profile}"`
}

/** One member of an Accept or Content-Type header. */
export type MediaRange = ReturnType<typeof mediaRange>

/* What stands between commas, or semicolons, outside of quotes: a quoted text may lack its end. */
const MEMBERS = /(?<=^|,)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",])*/gs
const PARTS = /(?<=^|;)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^";])*/gs

const split = (text: string, parts: RegExp) => text.match(parts)!.map((part) => part.trim())

const TYPE = /^[^\s"=]+/
const PARAMETER = /^([^\s"=]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))$/

/**
 * Reads a Content-Type or Accept header (RFC 9110 §8.3.1, §12.5.1). Names of
 * types and parameters are lower case. Empty members of the list and a `;`
 * without a parameter are legal, and ignored (RFC 9110 §5.6.1, §5.6.6).
 */
export function mediaRanges(header: string): MediaRange[] {
  const members = split(header, MEMBERS).filter((member) => member !== '')
  return members.map(mediaRange)
}

function mediaRange(member: string) {
  const [text, ...rest] = split(member, PARTS)
  const type = TYPE.exec(text!)?.[0] ?? ''
  const parameters = new Map<string, string>()
  /* Whether something in it follows no grammar. Such a range matches nothing. */
  let isMalformed = type !== text

  for (const part of rest.filter((parameter) => parameter !== '')) {
    const [, name, quoted, token] = PARAMETER.exec(part) ?? []
    if (name === undefined) {
      isMalformed = true
    } else {
      parameters.set(name.toLowerCase(), quoted ?? token!)
    }
  }
  return { type: type.toLowerCase(), parameters, isMalformed }
}
