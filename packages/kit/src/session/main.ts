export { currentViewer, Session } from '#session/facade'
export { RequestSession } from '#session/request_session'
export { SessionService } from '#session/session_service'
export type { SessionStore } from '#session/store'
