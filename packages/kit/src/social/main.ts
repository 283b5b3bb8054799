export { apple, github, gitlab, google, microsoft, openIdConnect } from '#social/presets'
export { leadTo, refuseSignIn } from '#social/lead_on'
export type {
  Purpose,
  SocialAccounts,
  SocialIdentity,
  SocialOutcome,
  SocialStore,
} from '#social/types'
