import { ENDPOINT_CORS } from '#oauth2/cors'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { clientEndpoint, combineMarks, csrfExempt, smallBody } from '#support/route_marks'

/** An endpoint that clients call themselves, from wherever they run, and authenticate at by themselves. */
export const calledByClients = combineMarks(
  oauthEndpoint,
  clientEndpoint,
  smallBody,
  csrfExempt,
  ENDPOINT_CORS
)

/** A form of ours that a person sends. */
export const oauthForm = combineMarks(oauthEndpoint, smallBody)
