import KitWorkspacesProvider from 'adonis-auth-kit/providers/workspaces_provider'

/** Workspaces, `config/workspaces.ts`: whose rows a request is about, for people who work in teams. */
export default class WorkspacesProvider extends KitWorkspacesProvider {}
