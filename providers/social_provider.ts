import KitSocialProvider from 'adonis-auth-kit/providers/social_provider'

/**
 * Sign-in through Google, GitHub and others, by `config/social.ts`. Needs AuthProvider before it,
 * and AuthSessionProvider and EmailVerificationProvider for its pages.
 */
export default class SocialProvider extends KitSocialProvider {}
