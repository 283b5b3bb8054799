import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { requireConfig } from '#config/file'
import { defineConfig } from '#two_factor/define_config'
import { TwoFactorStep } from '#two_factor/login_step'
import { TwoFactor } from '#two_factor/two_factor'

/** The second factor: codes of an authenticator app, asked for after the password wherever one signs in. */
export default class AuthTwoFactorProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthTwoFactorProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const encryption = await this.app.container.make('encryption')
    const twoFactor = new TwoFactor(requireConfig(this.app.config, 'two_factor', defineConfig), {
      features: manager,
      encryption: encryption.use(),
      emitter: await this.app.container.make('emitter'),
    })
    manager.registerFeature('twoFactor', twoFactor)
    manager.accountAccess.add(twoFactor.access)
    manager.loginSteps.add(new TwoFactorStep(twoFactor))
  }
}
