import {
  anyObject,
  describeRoutes,
  instant,
  key,
  listOf,
  object,
  orNull,
  text,
  yesNo,
} from '#openapi/describe'
import {
  choiceValidator,
  invitationValidator,
  roleValidator,
  transferValidator,
  workspaceValidator,
} from '#workspaces/validators'

const workspace = { id: key, slug: text, name: text }
const own = { ...workspace, role: orNull(text), personal: yesNo }
const answers = { 204: null }

/** start/workspaces.ts */
export default describeRoutes('Workspaces', {
  'GET /workspaces': {
    summary: 'The workspaces of the caller',
    answers: {
      200: object({
        workspaces: listOf(object({ ...own, current: yesNo, deleted_at: orNull(instant) })),
      }),
    },
  },
  'POST /workspaces': {
    summary: 'Make a workspace',
    body: workspaceValidator,
    answers: { 201: object(workspace) },
  },
  'POST /workspaces/switch': {
    summary: 'Choose the workspace that the session works in',
    body: choiceValidator,
    answers: { 200: object({ current: orNull(text) }) },
  },
  'POST /workspaces/:id/restore': { summary: 'Bring a deleted workspace back', answers },
  'GET /invitations/:token': {
    summary: 'What an invitation is for',
    answers: { 200: object({ workspace: object({ name: text }) }) },
  },
  'POST /invitations/:token': { summary: 'Accept an invitation', answers },
  'GET /w/:slug': {
    summary: 'A workspace, its members and invitations',
    answers: {
      200: object({
        workspace: object(own),
        members: listOf(anyObject),
        invitations: listOf(object({ id: key, email: text, role: text, expires_at: instant })),
      }),
    },
  },
  'POST /w/:slug': { summary: 'Rename the workspace', body: workspaceValidator, answers },
  'GET /w/:slug/log': {
    summary: 'What has happened in the workspace',
    answers: { 200: object({ events: listOf(anyObject) }) },
  },
  'POST /w/:slug/leave': { summary: 'Leave the workspace', answers },
  'POST /w/:slug/transfer': {
    summary: 'Hand the workspace to another member',
    body: transferValidator,
    answers,
  },
  'POST /w/:slug/delete': { summary: 'Delete the workspace', answers },
  'POST /w/:slug/members/:id': { summary: 'Change a role', body: roleValidator, answers },
  'POST /w/:slug/members/:id/remove': { summary: 'Remove a member', answers },
  'POST /w/:slug/invitations': {
    summary: 'Invite somebody',
    body: invitationValidator,
    answers,
  },
  'POST /w/:slug/invitations/:id/revoke': { summary: 'Take an invitation back', answers },
})
