import { ENDPOINT_CORS } from '#oauth2/cors'
import { oauthEndpoint } from '#oauth2/protocol_error'
import {
  clientEndpoint,
  combineMarks,
  csrfExempt,
  redirectsForms,
  smallBody,
} from '#http/route_marks'

/** An endpoint that clients call themselves, from wherever they run, and authenticate at by themselves. */
export const calledByClients = combineMarks(
  oauthEndpoint,
  clientEndpoint,
  smallBody,
  csrfExempt,
  ENDPOINT_CORS
)

/** The authorization endpoint: JSON of an application's own consent page, and forms of clients, which are redirected. */
export const authorizationEndpoint = combineMarks(oauthEndpoint, smallBody, redirectsForms)

/** A form of ours that a person sends. */
export const oauthForm = combineMarks(oauthEndpoint, smallBody)
