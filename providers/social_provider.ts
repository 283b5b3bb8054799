import KitSocialProvider from 'adonis-auth-kit/providers/social_provider'

/** Sign-in through Google, GitHub and others, `config/social.ts`. Needs AuthSessionProvider and EmailVerificationProvider. */
export default class SocialProvider extends KitSocialProvider {}
