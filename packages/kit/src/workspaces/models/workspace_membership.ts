import { WorkspaceMembershipSchema } from '#database/schema'

export default class WorkspaceMembership extends WorkspaceMembershipSchema {}
