import { RuntimeException } from '@adonisjs/core/exceptions'

import { OpenIdProvider } from '#social/providers/open_id'

/**
 * A provider whose client secret was encrypted under another APP_KEY. Nobody signs in through it, and operators read why. It
 * is there all the same: for the pages of people who have identities of it, for their sessions, and for its logouts.
 */
export class UnreadableProvider extends OpenIdProvider {
  override async authorizationUrl(): Promise<never> {
    throw this.#reason
  }

  override async profile(): Promise<never> {
    throw this.#reason
  }

  get #reason() {
    return new RuntimeException(
      `The client secret of "${this.name}" cannot be decrypted: add the APP_KEY from before to config/encryption.ts, or add the provider again`
    )
  }
}
