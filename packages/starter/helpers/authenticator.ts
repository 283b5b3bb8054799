import type { Page } from 'playwright'

/**
 * An authenticator of Chromium. While its person is there it answers every request at once, also
 * the one with which the sign-in page waits for a passkey.
 */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const setPresence = (enabled: boolean) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  return { leave: () => setPresence(false), comeBack: () => setPresence(true) }
}

export async function addPasskey(page: Page, name: string) {
  await page.goto('/account/passkeys')
  await page.locator('#name').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('The passkey has been added.').waitFor()
}
