import { readFile } from 'node:fs/promises'

import { Container } from '@adonisjs/core/container'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { defineConfig as defineApiTokenConfig } from '#kit/api_token/define_config'
import { defineConfig as defineAuthConfig } from '#kit/auth/define_config'
import { defineConfig as defineMcpConfig } from '#kit/mcp/define_config'
import { defineConfig as defineOAuth2Config } from '#kit/oauth2/define_config'
import { defineConfig as definePasskeysConfig } from '#kit/passkeys/define_config'
import { defineConfig as defineSessionConfig } from '#kit/session/define_config'
import AuthPasskeysProvider from 'adonis-auth-kit/providers/auth_passkeys_provider'
import AuthTwoFactorProvider from 'adonis-auth-kit/providers/auth_two_factor_provider'
import McpProvider from 'adonis-auth-kit/providers/mcp_provider'
import { Purges } from '#kit/database/purges'
import { markResolved, resolveConfig } from '#kit/config/checks'
import { defineConfig as defineThrottleConfig } from '#kit/throttle/define_config'
import { defineConfig as defineTracingConfig } from '#kit/tracing/define_config'

const DEFINERS: Record<string, (config: any) => unknown> = {
  AuthConfig: defineAuthConfig,
  McpConfig: defineMcpConfig,
  SessionConfig: defineSessionConfig,
  ThrottleConfig: defineThrottleConfig,
  ApiTokenConfig: defineApiTokenConfig,
  OAuth2Config: defineOAuth2Config,
}

test.group('Settings that nobody reads', () => {
  test('{config}: {key} is refused, and the nearest setting named')
    .with([
      { config: 'SessionConfig', key: 'idle_ttl', nearest: 'idleTtl' },
      { config: 'SessionConfig', key: 'same_site', nearest: 'sameSite' },
      { config: 'SessionConfig', key: 'samesite', nearest: 'sameSite' },
      { config: 'SessionConfig', key: 'tll', nearest: 'ttl' },
      { config: 'ApiTokenConfig', key: 'stateful_origins', nearest: 'statefulOrigins' },
      { config: 'ApiTokenConfig', key: 'statefulOrigin', nearest: 'statefulOrigins' },
      { config: 'OAuth2Config', key: 'require_pkce', nearest: 'requirePkce' },
      { config: 'OAuth2Config', key: 'acessTokenTtl', nearest: 'accessTokenTtl' },
      { config: 'McpConfig', key: 'allowed_hosts', nearest: 'allowedHosts' },
      { config: 'ThrottleConfig', key: 'failed_logins', nearest: 'failedLogins' },
      { config: 'ThrottleConfig', key: 'registration', nearest: 'registrations' },
      { config: 'AuthConfig', key: 'bcrypt_rounds', nearest: 'bcryptRounds' },
      { config: 'AuthConfig', key: 'access_token_ttl', nearest: 'accessTokenTtl' },
    ])
    .run(({ assert }, { config, key, nearest }) => {
      assert.throws(
        () => DEFINERS[config]!({ [key]: 1 }),
        `${config}: unknown setting "${key}": did you mean "${nearest}"?`
      )
    })

  test('a key that is like no setting is refused with the list of settings', ({ assert }) => {
    assert.throws(
      () => defineApiTokenConfig({ colour: 'red' } as any),
      'ApiTokenConfig: unknown setting "colour". Known: store, connection, instance, model, header,'
    )
  })

  test('{owner}, of {room}, says its name when it refuses a setting')
    .with([
      { room: 'email_verification', owner: 'EmailVerificationConfig' },
      { room: 'mail_code', owner: 'MailCodeConfig' },
      { room: 'metrics', owner: 'MetricsConfig' },
      { room: 'openapi', owner: 'OpenApiConfig' },
      { room: 'passkeys', owner: 'PasskeysConfig' },
      { room: 'security_log', owner: 'SecurityLogConfig' },
      { room: 'social', owner: 'SocialConfig' },
      { room: 'tracing', owner: 'TracingConfig' },
      { room: 'two_factor', owner: 'TwoFactorConfig' },
      { room: 'workspaces', owner: 'WorkspacesConfig' },
    ])
    .run(async ({ assert }, { room, owner }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const refusal = new RegExp(`^${owner}: unknown setting "colour". Known: `)
      assert.throws(() => defineConfig({ colour: 'red' }), refusal)
    })

  test('{owner}: "{setting}" of OAuth2Config says its name when it refuses a setting')
    .with([
      { setting: 'clientDocuments', owner: 'ClientDocumentsConfig' },
      { setting: 'device', owner: 'DeviceConfig' },
      { setting: 'dpop', owner: 'DpopConfig' },
      { setting: 'keys', owner: 'OAuthKeysConfig' },
      { setting: 'openid', owner: 'OpenIdConfig' },
      { setting: 'pushedRequests', owner: 'PushedRequestsConfig' },
    ])
    .run(({ assert }, { setting, owner }) => {
      const refusal = new RegExp(`^${owner}: unknown setting "colour". Known: `)
      const config = { [setting]: { colour: 'red' } } as object
      assert.throws(() => defineOAuth2Config(config), refusal)
    })

  test('{owner}: a nested key is refused too')
    .with([
      {
        owner: 'AuthConfig "default"',
        config: { default: { gaurd: 'web' } },
        nearest: 'guard',
      },
      {
        owner: 'The guard "web"',
        config: { guards: { web: { driver: 'session', providers: 'users' } } },
        nearest: 'provider',
      },
      {
        owner: 'The guard "api"',
        config: { guards: { api: { driver: 'token', provider: 'users', audience: 'x' } } },
        nearest: null,
      },
      ...['lucid', 'orm', 'model', 'async_model', 'memory', 'instance', 'factory'].map(
        (driver) => ({
          owner: 'The user provider "users"',
          config: { providers: { users: { driver, is_active: 'active' } } },
          nearest: 'isActive',
        })
      ),
      {
        owner: 'The password broker "users"',
        config: { passwords: { users: { provider: 'users', expires: 5 } } },
        nearest: 'expire',
      },
    ])
    .run(({ assert }, { owner, config, nearest }) => {
      const hint = nearest === null ? '. Known: ' : `: did you mean "${nearest}"?`
      const message = new RegExp(`^${owner}: unknown setting "\\w+"${hint.replace('?', '\\?')}`)
      assert.throws(() => defineAuthConfig(config as any), message)
    })

  test('OAuth2Config: nested keys of "tokens" and "clients" are refused too', ({ assert }) => {
    assert.throws(
      () => defineOAuth2Config({ tokens: { stores: 'memory' } as any }),
      'OAuthTokensConfig: unknown setting "stores": did you mean "store"?'
    )
    assert.throws(
      () => defineOAuth2Config({ clients: { conection: 'x' } as any }),
      'OAuthClientsConfig: unknown setting "conection": did you mean "connection"?'
    )
    assert.throws(
      () => defineOAuth2Config({ tokens: { models: { accesstoken: 1 } as any } }),
      'OAuthTokensConfig "models": unknown setting "accesstoken": did you mean "accessToken"?'
    )
  })

  test('ThrottleConfig: nested keys of actions and limits are refused too', ({ assert }) => {
    assert.throws(
      () => defineThrottleConfig({ failedLogins: { per_address: null } } as any),
      'ThrottleConfig "failedLogins": unknown setting "per_address": did you mean "perAddress"?'
    )
    assert.throws(
      () =>
        defineThrottleConfig({
          failedLogins: { perAddress: { attempts: 1, minutes: 1, seconds: 60 } },
        } as any),
      'ThrottleConfig "failedLogins.perAddress": unknown setting "minutes"'
    )
  })

  test("an action of the application's own has the limits it was given, and no others", ({
    assert,
  }) => {
    const limit = { attempts: 3, seconds: 60 }
    const config: any = defineThrottleConfig({ smsCodes: { perSubject: limit } } as any)
    assert.deepEqual(config.smsCodes, {
      perAddress: null,
      perSubject: limit,
      perSubjectAndAddress: null,
    })
  })

  test("a guard with a driver of the application's own has whatever keys it likes", ({
    assert,
  }) => {
    const guards = { mine: { driver: 'basic', provider: 'users', realm: 'x' } }
    assert.deepEqual(defineAuthConfig({ guards } as any).guards, guards)
  })
})

/** Settings without a default, by the room of their configuration. */
const REQUIRED: Record<string, object> = {
  social: { providers: {}, accounts: {}, notifier: {} },
  email_verification: { addresses: {}, notifier: {} },
  mail_code: { notifier: () => {} },
  passkeys: { name: 'Tests', rpId: 'example.com', origins: ['https://example.com'] },
}

test.group('Settings of another kind', () => {
  const required = Object.entries(REQUIRED).flatMap(([room, config]) =>
    Object.keys(config).map((setting) => ({ room, setting }))
  )

  test('{room}: "{setting}" is named when it is missing or of another kind')
    .with(required)
    .run(async ({ assert }, { room, setting }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const { [setting]: given, ...config } = REQUIRED[room] as Record<string, unknown>
      const missing = new RegExp(`^\\w+Config: "${setting}" is missing: it must be an? `)
      assert.throws(() => defineConfig(config), missing)
      assert.throws(() => defineConfig({ ...config, [setting]: null }), missing)
      const other = new RegExp(`^\\w+Config: "${setting}" must be an? `)
      assert.throws(() => defineConfig({ ...config, [setting]: 5 }), other)
    })

  test('{room}: {setting} must be {kind}')
    .with([
      { room: 'session', setting: 'secure', value: 'false', kind: 'true or false' },
      { room: 'session', setting: 'csrfExemptPaths', value: '/hook', kind: 'a list' },
      { room: 'session', setting: 'csrfExemptPaths', value: [5], kind: 'a list of texts' },
      { room: 'session', setting: 'path', value: 5, kind: 'a text' },
      { room: 'session', setting: 'sameSite', value: 'laxe', kind: '"lax", "strict" or "none"' },
      { room: 'api_token', setting: 'statefulOrigins', value: 'https://x.example', kind: 'a list' },
      { room: 'auth', setting: 'passwordResetNotifier', value: {}, kind: 'a function' },
      { room: 'auth', setting: 'guards', value: ['web'], kind: 'an object' },
      { room: 'oauth2', setting: 'grantTypes', value: 'password', kind: 'a list' },
      { room: 'oauth2', setting: 'writingScopes', value: 'posts:write', kind: 'a list' },
      { room: 'oauth2', setting: 'writingScopes', value: '', kind: 'a list' },
      { room: 'oauth2', setting: 'requirePkce', value: 'false', kind: 'true or false' },
      { room: 'mcp', setting: 'allowedHosts', value: [undefined], kind: 'a list' },
      { room: 'mcp', setting: 'allowedHosts', value: [5], kind: 'a list of texts' },
      { room: 'mcp', setting: 'callTimeout', value: 'soon', kind: 'a whole number' },
      { room: 'tracing', setting: 'endpoint', value: 0, kind: 'the http or https address' },
      { room: 'workspaces', setting: 'invite', value: true, kind: 'a function' },
    ])
    .run(async ({ assert }, { room, setting, value, kind }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const refusal = new RegExp(`^\\w+Config: "${setting}" must be ${kind}`)
      assert.throws(() => defineConfig({ [setting]: value }), refusal)
    })

  test('AuthConfig: a nested setting that is no object is named', ({ assert }) => {
    const config = { guards: { web: null } } as any
    assert.throws(() => defineAuthConfig(config), 'The guard "web" must be an object')
  })
})

test.group('What a config file exports', () => {
  const defineConfig = ({ ttl = 7200 }: { ttl?: number }) => markResolved({ ttl })

  test('the result of defineConfig is taken as it is', ({ assert }) => {
    const config = defineConfig({ ttl: 60 })
    assert.strictEqual(resolveConfig(config, defineConfig), config)
  })

  test('a plain object and a class with static attributes are settings', ({ assert }) => {
    class Settings {
      static ttl = 60
    }
    assert.deepEqual(resolveConfig({ ttl: 60 }, defineConfig), { ttl: 60 })
    assert.deepEqual(resolveConfig(Settings, defineConfig), { ttl: 60 })
  })

  test('a class has the settings that it inherits, and those that are methods or accessors', ({
    assert,
  }) => {
    class Shared {
      static ttl = 60
      static idleTtl = 30
    }
    class Settings extends Shared {
      static override idleTtl = 40
      static get cookie() {
        return `${this.ttl}`
      }
      static notifier() {}
    }
    const read = (exported: unknown) => resolveConfig(exported, (settings: object) => settings)
    const notifier = Settings.notifier
    assert.deepEqual(read(Settings), { idleTtl: 40, cookie: '60', notifier, ttl: 60 })

    class Fields {
      ttl = 60
      notifier() {}
    }
    const fields = new Fields()
    assert.deepEqual(read(fields), { ttl: 60, notifier: fields.notifier })
  })

  test('settings that only instances of a class have, or a function returns, are refused', ({
    assert,
  }) => {
    class Fields {
      ttl = 60
    }
    class More extends Fields {
      static idleTtl = 30
    }
    const settings = () => ({ ttl: 60 })
    function made() {
      return { ttl: 60 }
    }
    class Accessors {
      get ttl() {
        return 60
      }
    }
    class Inherited extends Accessors {}
    class Methods {
      notifier() {}
    }
    for (const exported of [Fields, More, settings, made, Accessors, Inherited, Methods]) {
      assert.throws(
        () => resolveConfig(exported, defineConfig),
        `"${exported.name}": a config file exports its settings as an object, or as static members of a class`
      )
    }
    class Empty {
      static describe() {}
    }
    assert.deepEqual(resolveConfig(class {}, defineConfig), { ttl: 7200 })
    assert.deepEqual(resolveConfig(Empty, defineConfig), { ttl: 7200 })
  })

  test('a missing file is named where there are no defaults: {name}')
    .with([
      { name: 'mcp', provider: McpProvider },
      { name: 'two_factor', provider: AuthTwoFactorProvider },
      { name: 'passkeys', provider: AuthPasskeysProvider },
    ])
    .run(async ({ assert }, { name, provider }) => {
      const without = Object.create(app, {
        config: {
          value: { get: (path: string) => (path === name ? undefined : app.config.get(path)) },
        },
        container: { value: new Container() },
      }) as typeof app
      for (const binding of ['auth_manager', 'encryption', 'emitter', 'router'] as const) {
        without.container.bindValue(binding, (await app.container.make(binding)) as never)
      }
      without.container.bindValue(Purges, new Purges())
      const made = new provider(without)
      made.register()
      await assert.rejects(
        () => made.boot(),
        `There is no config/${name}.ts, or it exports nothing`
      )
    })

  test('without a file there are the defaults', ({ assert }) => {
    assert.deepEqual(resolveConfig(undefined, defineConfig), { ttl: 7200 })
  })

  test('{$self} marks what it returns')
    .with(Object.keys(DEFINERS))
    .run(({ assert }, name) => {
      const config = DEFINERS[name]!({})
      const again = () => assert.fail('it was resolved twice')
      assert.strictEqual(resolveConfig(config, again as any), config)
    })
})

test.group('Settings that are numbers', () => {
  /** A setting by its path, in the configuration of a room. */
  const configOf = (path: string, value: unknown): object =>
    path
      .split('.')
      .reverse()
      .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as object

  /** 0, but for those that it turns off. */
  const nothing = (path: string) => (/GracePeriod$|^idleTtl$/.test(path) ? [] : [0])
  const whole = {
    oauth2: [
      ...['accessTokenTtl', 'refreshTokenTtl', 'refreshFamilyTtl', 'personalAccessTokenTtl'],
      ...['authorizationCodeTtl', 'grantTtl', 'refreshTokenGracePeriod', 'sourceClientGracePeriod'],
      ...['device.codeTtl', 'device.interval'],
      ...['clientDocuments.maxBytes', 'clientDocuments.fetchesPerMinute'],
    ],
    mcp: ['pageSize', 'requestStateTtl', 'callTimeout', 'stopTimeout', 'taskTtl', 'taskTimeout'],
    http: [
      ...['form.limit', 'json.limit', 'raw.limit', 'multipart.limit', 'multipart.fieldsLimit'],
      ...['json.maxDepth', 'json.maxElements', 'multipart.maxFields'],
    ],
  }
  const fractional = {
    auth: ['hashingPatience'],
    session: ['ttl', 'rememberTtl', 'confirmationTtl', 'purgeInterval', 'idleTtl'],
    api_token: ['ttl', 'purgeInterval'],
    workspaces: ['invitationDays', 'restoreDays'],
    mail_code: ['expire'],
    security_log: ['retention', 'purgeInterval'],
    email_verification: ['expire'],
    oauth2: ['keys.publishFor'],
  }
  const rows = (settings: Record<string, string[]>) =>
    Object.entries(settings).flatMap(([room, paths]) => paths.map((path) => ({ room, path })))

  test('{room}: {path} is a whole number above 0')
    .with(rows(whole))
    .run(async ({ assert }, { room, path }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const name = path.split('.').at(-1)
      for (const value of [...nothing(path), 1.5, -1, Number.NaN]) {
        const refusal = new RegExp(`"${name}" must be a whole number above 0`)
        assert.throws(() => defineConfig(configOf(path, value)), refusal)
      }
      assert.doesNotThrow(() => defineConfig(configOf(path, 1)))
    })

  test('{room}: {path} is a number above 0')
    .with(rows(fractional))
    .run(async ({ assert }, { room, path }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const name = path.split('.').at(-1)
      for (const value of [...nothing(path), -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const refusal = new RegExp(`"${name}" must be a number above 0`)
        assert.throws(() => defineConfig(configOf(path, value)), refusal)
      }
      assert.doesNotThrow(() => defineConfig({ ...REQUIRED[room], ...configOf(path, 1.5) }))
    })
})

test.group('Settings that are not set', () => {
  /** Those that become something else: a function, names of cookies, a list. */
  const RESOLVED = new Set(['afterPassword', 'hostPrefix', 'grantTypes'])
  const ROW = /^\| `([\w.]+)` \|.* Default (?:`([^`]+)`|(\w+))[.,;]/
  const WORDS: Record<string, unknown> = { null: null, true: true, false: false }

  /** Each default that docs/settings.md names, with the room of its config file. */
  async function defaults() {
    const page = await readFile(app.makePath('docs/settings.md'), 'utf8')
    return page.split(/^## config\//m).flatMap((section) => {
      const room = section.slice(0, section.indexOf('.'))
      return section.split('\n').flatMap((line) => {
        const [, path, text, word] = ROW.exec(line) ?? []
        const value = text ?? (word! in WORDS ? WORDS[word!] : Number(word))
        return path && !RESOLVED.has(path) ? [{ room, path, value }] : []
      })
    })
  }

  test('are what docs/settings.md says: in {room} {path} is {value}')
    .with(defaults)
    .run(async ({ assert }, { room, path, value }) => {
      const { defineConfig } = await import(`#kit/${room}/define_config`)
      const config = defineConfig(REQUIRED[room] ?? {})
      assert.equal(
        path.split('.').reduce((at, name) => at[name], config),
        value
      )
    })
})

test.group('Settings of passkeys', () => {
  const settings = { name: 'Tests', rpId: 'example.com', origins: ['https://example.com'] }

  test('pages of the host and of hosts below it may ask for one', ({ assert }) => {
    const origins = ['https://example.com', 'https://app.example.com:8443']
    const config = definePasskeysConfig({ ...settings, origins })
    assert.deepEqual(config, { ...settings, origins })
    assert.notStrictEqual(config.origins, origins)
  })

  test('"origins" is refused with {origin}')
    .with([
      { origin: 'https://evil.example' },
      { origin: 'https://notexample.com' },
      { origin: 'https://example.com.evil.example' },
      { origin: 'https://example.com/' },
      { origin: 'https://example.com/login' },
      { origin: 'example.com' },
      { origin: 'null' },
    ])
    .run(({ assert }, { origin }) => {
      assert.throws(
        () => definePasskeysConfig({ ...settings, origins: [...settings.origins, origin] }),
        'PasskeysConfig: "origins" must be origins of the "rpId" or of hosts below it, e.g. "https://example.com"'
      )
    })

  test('an empty "name" is refused', ({ assert }) => {
    assert.throws(
      () => definePasskeysConfig({ ...settings, name: '' }),
      'PasskeysConfig: "name" must be a text that is not empty'
    )
  })
})

test.group('Settings of traces', () => {
  test('without an endpoint nothing is traced: {endpoint}')
    .with([{ endpoint: undefined }, { endpoint: null }, { endpoint: '' }])
    .run(({ assert }, { endpoint }) => {
      assert.deepEqual(defineTracingConfig({ endpoint }), { endpoint: null, ratio: 1 })
    })

  test('slashes at the end of the endpoint are left out', ({ assert }) => {
    const { endpoint } = defineTracingConfig({ endpoint: 'https://collector.example/otlp//' })
    assert.equal(endpoint, 'https://collector.example/otlp')
  })

  test('"endpoint" is refused: {endpoint}')
    .with([
      { endpoint: 'localhost:4318' },
      { endpoint: 'grpc://localhost:4317' },
      { endpoint: 'http://' },
      { endpoint: 'http://localhost:4318?key=x' },
      { endpoint: 'http://localhost:4318#x' },
      { endpoint: ' http://localhost:4318' },
    ])
    .run(({ assert }, { endpoint }) => {
      assert.throws(
        () => defineTracingConfig({ endpoint }),
        'TracingConfig: "endpoint" must be the http or https address of a collector, e.g. "http://localhost:4318"'
      )
    })

  test('"ratio" is from 0 to 1', ({ assert }) => {
    for (const ratio of [0, 0.1, 1]) {
      assert.equal(defineTracingConfig({ ratio }).ratio, ratio)
    }
    for (const ratio of [-0.1, 1.1, Number.NaN]) {
      assert.throws(
        () => defineTracingConfig({ ratio }),
        'TracingConfig: "ratio" must be between 0 and 1'
      )
    }
  })
})
