import KitWorkspacesProvider from 'adonis-auth-kit/providers/workspaces_provider'

/**
 * Workspaces: whose rows a request is about, for people who work in teams, by
 * `config/workspaces.ts`. Needs AuthProvider before it, and AuthSessionProvider for its pages.
 */
export default class WorkspacesProvider extends KitWorkspacesProvider {}
