export { apple, github, gitlab, google, microsoft, openIdConnect } from '#social/presets'
export type {
  Purpose,
  SocialAccounts,
  SocialIdentity,
  SocialOutcome,
  SocialStore,
} from '#social/types'
