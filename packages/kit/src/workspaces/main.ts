export { askingIn, authorize, nameOf, peopleOf, recordInWorkspace } from '#workspaces/asking'
export { BelongsToWorkspace } from '#workspaces/belongs_to_workspace'
export { resolveCurrent, runInWorkspace } from '#workspaces/current_workspace'
export { ownerOf } from '#workspaces/memberships'
