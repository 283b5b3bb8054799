import { FeatureProvider } from '#auth/feature_provider'
import { defineConfig } from '#two_factor/define_config'
import { TwoFactor } from '#two_factor/two_factor'

/** The second factor: codes of an authenticator app, asked for after the password wherever one signs in. */
export default class AuthTwoFactorProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const encryption = await this.make('encryption')
    const twoFactor = new TwoFactor(this.requireConfig('two_factor', defineConfig), {
      features: manager,
      encryption: encryption.use(),
      emitter: await this.make('emitter'),
    })
    manager.registerFeature('twoFactor', twoFactor)
    manager.accountAccess.add(twoFactor.access)
    manager.loginSteps.add(twoFactor)
  }
}
