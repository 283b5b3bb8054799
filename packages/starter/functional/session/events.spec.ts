import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { Auth } from '#kit/auth/facade'
import { Visitor, signedIn } from '#starter/helpers/visitor'

router.post('/_test/events/login/:id', async ({ params }) => void (await Auth.login(params.id)))

const EVENTS = ['auth:login', 'auth:login_failed', 'auth:logout', 'session:destroyed'] as const

test.group('Session | events', (group) => {
  group.each.setup(() => () => emitter.restore())

  test('a login announces the user and the guard', async ({ assert }) => {
    const events = emitter.fake([...EVENTS])
    const user = await UserFactory.create()
    await new Visitor().login(user.email, FACTORY_PASSWORD)
    events.assertEmitted(
      'auth:login',
      ({ data }) => data.user.id === user.id && data.guard === 'web'
    )
    events.assertNotEmitted('auth:login_failed')
    assert.lengthOf(events.all(), 1)
  })

  test('Auth.login() announces it, too', async ({ assert }) => {
    const heard: unknown[][] = []
    const off = emitter.on('auth:login', ({ guard, user }) => void heard.push([guard, user.id]))
    const user = await UserFactory.create()
    await new Visitor().post(`/_test/events/login/${user.id}`)
    off()
    assert.deepEqual(heard, [['web', user.id]])
  })

  test('a failed login announces what was sent, without the password', async ({ assert }) => {
    const events = emitter.fake([...EVENTS])
    await new Visitor().login('nobody@example.com', 'the secret attempt')
    events.assertEmitted('auth:login_failed', ({ data }) => {
      return data.credentials.email === 'nobody@example.com' && data.guard === 'web'
    })
    const [event] = events.all() as { data: { credentials: object } }[]
    assert.notInclude(JSON.stringify(event!.data.credentials), 'the secret attempt')
  })

  test('a logout announces the user, and the end of the session', async () => {
    const { user, visitor } = await signedIn()
    const events = emitter.fake([...EVENTS])
    await visitor.post('/logout', { csrf: true })
    events.assertEmitted('auth:logout', ({ data }) => data.user.id === user.id)
    events.assertEmitted('session:destroyed', ({ data }) => data.userId === String(user.id))
  })

  test('the end of all sessions of a user is announced once for each', async () => {
    const user = await UserFactory.create()
    await new Visitor().login(user.email, FACTORY_PASSWORD)
    await new Visitor().login(user.email, FACTORY_PASSWORD)
    const manager = await app.container.make('auth_manager')
    const events = emitter.fake([...EVENTS])
    await manager.feature('sessions')!.destroyAllOf(user, manager.users('users'))
    events.assertEmittedCount('session:destroyed', 2)
  })

  test('a listener that fails changes nothing for the caller', async ({ assert }) => {
    const user = await UserFactory.create()
    const off = emitter.on('auth:login', () => {
      throw new Error('the listener is broken')
    })
    const response = await new Visitor().login(user.email, FACTORY_PASSWORD)
    off()
    assert.equal(response.status, 200)
  })
})
