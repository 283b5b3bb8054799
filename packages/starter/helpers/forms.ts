import type { Page } from 'playwright'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import VerifyAddressMail from '#kit/email_verification/verify_address_mail'
import User from '#models/user'
import { obtainTokens, registerClient } from '#starter/helpers/oauth'
import { linkOf } from '#starter/helpers/sent_links'
import { Visitor } from '#starter/helpers/visitor'

/** Somebody at a keyboard. The first steps make the account of this address. */
export interface Person {
  page: Page
  email: string
}

/** One attempt at a form, and what the page says after it. */
export interface Step {
  /** The route that the form posts to. */
  form: string
  /** Where the form is; without it, where the step before has led. */
  at?: string | ((person: Person) => Promise<string>)
  /** What happens between opening the page and sending the form. */
  meanwhile?: (person: Person) => Promise<unknown>
  /** What is typed, by the labels of the fields. */
  type?: Record<string, string> | ((person: Person) => Record<string, string>)
  tick?: string
  press: string
  /** The button of the question that comes before something is destroyed. */
  sure?: string
  says: string
}

const NEW_PASSWORD = 'quite another secret'
const passwords = (text: string) => ({ 'Password': text, 'Password again': text })
const newPasswords = (text: string) => ({ 'New password': text, 'New password again': text })

/** Asks for another address, and returns the link that is sent to it. */
async function askForAddress({ page }: Person) {
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill(`${crypto.randomUUID()}@example.com`)
  await page.getByLabel('Current password').fill(FACTORY_PASSWORD)
  return linkOf(VerifyAddressMail, async () => {
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByRole('status').waitFor()
  })
}

/** The person, signed in elsewhere. */
async function elsewhere({ email }: Person) {
  const visitor = new Visitor()
  await visitor.login(email, FACTORY_PASSWORD)
  return visitor
}

async function connectApp(person: Person) {
  const client = await registerClient({ name: 'A calendar' })
  await obtainTokens(await elsewhere(person), client)
}

const tokenSteps = (home: string, id: string): Step[] => [
  {
    form: home,
    at: home,
    type: { Name: 'Laptop' },
    press: 'Create the token',
    says: 'Choose at least one permission',
  },
  {
    form: home,
    tick: 'Read your posts',
    press: 'Create the token',
    says: 'Copy it now: it is not shown again.',
  },
  {
    form: `${home}/:${id}/revoke`,
    press: 'Revoke Laptop',
    sure: 'Revoke the token',
    says: 'The token has been revoked.',
  },
]

/** In this order: from a new account to its end. Each form with fields is refused first, and taken then. */
export const STEPS: Step[] = [
  {
    form: '/register',
    at: '/register',
    type: ({ email }) => ({ 'E-mail address': email, ...passwords('password123') }),
    press: 'Create account',
    says: 'This is one of the most used passwords',
  },
  {
    form: '/register',
    type: passwords(FACTORY_PASSWORD),
    press: 'Create account',
    says: 'Your account has been created.',
  },
  // feature: email_verification
  { form: '/email/verify', press: 'Send the link again', says: 'Another link has been sent.' },
  // /feature
  {
    form: '/account',
    at: '/account',
    meanwhile: ({ page }) =>
      page.getByLabel('Full name').evaluate((field: any) => field.removeAttribute('maxlength')),
    type: { 'Full name (optional)': 'x'.repeat(256) },
    press: 'Save',
    says: 'must not have more than 255 characters',
  },
  {
    form: '/account',
    type: { 'Full name (optional)': 'Ann' },
    press: 'Save',
    says: 'Your profile has been changed.',
  },
  // feature: email_verification
  {
    form: '/account/email',
    at: '/account/email',
    type: { 'New e-mail address': 'new@example.com', 'Current password': 'not my secret' },
    press: 'Change the address',
    says: 'This is not your password',
  },
  {
    form: '/account/email',
    type: { 'Current password': FACTORY_PASSWORD },
    press: 'Change the address',
    says: 'We have sent a link to new@example.com. Open it',
  },
  {
    form: '/account/email/cancel',
    press: 'Keep the old address',
    says: 'No change of your address is pending.',
  },
  {
    form: '/email/verify/:id',
    at: askForAddress,
    meanwhile: ({ email }) => User.query().where({ email }).update({ proposedEmail: null }),
    press: 'Yes, verify it',
    says: 'This link does not work',
  },
  {
    form: '/email/verify/:id',
    async at(person) {
      const link = await askForAddress(person)
      const { proposedEmail } = await User.findByOrFail({ email: person.email })
      person.email = proposedEmail!
      return link
    },
    press: 'Yes, verify it',
    says: 'is verified.',
  },
  // /feature
  ...tokenSteps('/account/tokens', 'id'),
  ...tokenSteps('/account/access-tokens', 'jti'),
  {
    form: '/account/connected-apps/:id/disconnect',
    async at(person) {
      await connectApp(person)
      return '/account/connected-apps'
    },
    press: 'Disconnect A calendar',
    sure: 'Disconnect the app',
    says: 'The app has been disconnected.',
  },
  {
    form: '/account/sessions/:id/end',
    at: '/account/sessions',
    press: 'Sign out Unknown device',
    says: 'The session has ended.',
  },
  {
    form: '/account/sessions/end-others',
    async at(person) {
      await elsewhere(person)
      return '/account/sessions'
    },
    press: 'Sign out all others',
    sure: 'Sign out the others',
    says: '1 other session has ended.',
  },
  {
    form: '/account/access/end',
    async at(person) {
      await connectApp(person)
      return '/account/access'
    },
    press: 'End all of it',
    says: 'All of it has ended.',
  },
  {
    form: '/account/password',
    at: '/account/password',
    type: { 'Current password': 'not my secret', ...newPasswords(NEW_PASSWORD) },
    press: 'Change the password',
    says: 'This is not your password',
  },
  {
    form: '/account/password',
    type: { 'Current password': FACTORY_PASSWORD, ...newPasswords(NEW_PASSWORD) },
    press: 'Change the password',
    says: 'Your password has been changed.',
  },
  {
    form: '/logout',
    meanwhile: ({ page }) => page.locator('.menu summary').press('Enter'),
    press: 'Sign out',
    says: 'No account yet?',
  },
  {
    form: '/login',
    type: ({ email }) => ({ 'E-mail address': email, 'Password': FACTORY_PASSWORD }),
    press: 'Sign in',
    says: 'The e-mail address or the password is wrong.',
  },
  {
    form: '/login',
    type: { Password: NEW_PASSWORD },
    press: 'Sign in',
    says: 'Full name (optional)',
  },
  {
    form: '/account/delete',
    at: '/account/delete',
    type: { 'Current password': 'not my secret' },
    press: 'Delete my account',
    says: 'This is not your password',
  },
  {
    form: '/account/delete',
    type: { 'Current password': NEW_PASSWORD },
    press: 'Delete my account',
    says: 'Your account has been deleted.',
  },
  // feature: passwords
  {
    form: '/password/email',
    at: '/password/forgot',
    type: { 'E-mail address': 'ann@nowhere' },
    press: 'Send the link',
    says: 'This is not a valid e-mail address',
  },
  {
    form: '/password/email',
    type: { 'E-mail address': 'ann@example.com' },
    press: 'Send the link',
    says: 'If that account exists, a reset link has been sent.',
  },
  // /feature
]

/** Forms on every page, which are never refused: languages.spec.ts. */
export const FORMS_OF_THE_FRAME = ['/language']

/** The forms whose two outcomes are in files of their own, beside what leads to them. */
export const OTHER_FORMS: Record<string, string[]> = {
  // feature: passwords
  'passwords.spec.ts': ['/password/reset'],
  // /feature
  'consent.spec.ts': ['approve', 'deny', 'switch'].map(
    (decision) => `/oauth/authorizations/:handle/${decision}`
  ),
  'openid.spec.ts': ['/oauth/authorizations/:handle/select', '/oauth/logout/confirm'],
  'mcp_questions.spec.ts': ['/mcp/questions/:handle', '/mcp/questions/:handle/decline'],
  'device.spec.ts': ['/device/approve', '/device/deny'],
  // feature: mail_code
  'mail_code.spec.ts': [
    '/login/code',
    '/login/code/verify',
    '/confirm/code',
    '/confirm/code/verify',
  ],
  // /feature
  // feature: social
  'social.spec.ts': [
    '/auth/:name',
    '/confirm/social/:name',
    '/account/sign-in-methods/join',
    '/account/sign-in-methods/link/:name',
    '/account/sign-in-methods/:id/remove',
  ],
  // /feature
  // feature: workspaces
  'workspaces.spec.ts': [
    '/workspaces',
    '/workspaces/switch',
    '/workspaces/:id/restore',
    '/w/:slug',
    '/w/:slug/leave',
    '/w/:slug/transfer',
    '/w/:slug/delete',
    '/w/:slug/members/:id',
    '/w/:slug/members/:id/remove',
    '/w/:slug/invitations',
    '/w/:slug/invitations/:id/revoke',
    // feature: social
    '/w/:slug/providers',
    '/w/:slug/providers/:id/verify',
    '/w/:slug/providers/:id/enforce',
    '/w/:slug/providers/:id/remove',
    // /feature
    '/invitations/:token',
  ],
  // /feature
  'factors.spec.ts': [
    '/login/two-factor',
    '/confirm',
    '/account/two-factor',
    '/account/two-factor/enable',
    '/account/two-factor/recovery-codes',
    '/account/two-factor/disable',
    '/login/passkey',
    '/confirm/passkey',
    '/account/passkeys',
    '/account/passkeys/:id',
    '/account/passkeys/:id/remove',
  ],
}
