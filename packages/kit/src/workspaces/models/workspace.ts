import { WorkspaceSchema } from '#database/schema'

export default class Workspace extends WorkspaceSchema {}
