import { configProvider } from '@adonisjs/core'
import { Encryption, type EncryptionManager } from '@adonisjs/core/encryption'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

/** AdonisJS's own verifier, with the application's keys. */
async function adonisVerifier() {
  type Config = ConstructorParameters<typeof EncryptionManager>[0]
  const config = await configProvider.resolve<Config>(app, app.config.get('encryption'))
  return new Encryption(config!.list[config!.default!]!).getMessageVerifier()
}

test('cookies are signed with a key object, and as AdonisJS signs them', async ({ assert }) => {
  const verifier = (await app.container.make(Encryption)).getMessageVerifier()
  const adonis = await adonisVerifier()

  assert.isTrue(Object.hasOwn(verifier, 'sign'))
  for (const value of ['id', 7, { path: '/è' }, [true]]) {
    for (const purpose of [undefined, 'auth_session']) {
      assert.equal(verifier.sign(value, undefined, purpose), adonis.sign(value, undefined, purpose))
    }
  }
  assert.equal(adonis.unsign(verifier.sign('id', '1h', 'link'), 'link'), 'id')
  for (const nothing of [null, undefined]) {
    assert.throws(() => verifier.sign(nothing), `Cannot sign "${nothing}" value`)
  }
  assert.isNull(adonis.unsign(verifier.sign('id', -1, 'link'), 'link'))
})
