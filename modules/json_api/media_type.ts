/** The media type of every JSON:API document (JSON:API 1.1, The JSON:API Media Type). */
export const MEDIA_TYPE = 'application/vnd.api+json'
