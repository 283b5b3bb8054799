/* What the contestants on AdonisJS share: an application in one file, with users in SQLite. */

import 'reflect-metadata'

import { withAuthFinder } from '@adonisjs/auth/mixins/lucid'
import { Ignitor } from '@adonisjs/core'
import { defineConfig as defineApp } from '@adonisjs/core/app'
import { defineConfig as defineBodyParser } from '@adonisjs/core/bodyparser'
import { defineConfig as defineEncryption, drivers } from '@adonisjs/core/encryption'
import { defineConfig as defineHash, drivers as hashers } from '@adonisjs/core/hash'
import { defineConfig as defineHttp } from '@adonisjs/core/http'
import { compose } from '@adonisjs/core/helpers'
import { defineConfig as defineDatabase } from '@adonisjs/lucid'
import { BaseModel, column } from '@adonisjs/lucid/orm'

import { KEY } from './shared.js'

const appKey = KEY.toString()

/** Attributes of cookies. */
export const cookie = { path: '/', httpOnly: true, secure: false, sameSite: 'lax' }

const providers = [
  () => import('@adonisjs/core/providers/app_provider'),
  () => import('@adonisjs/core/providers/hash_provider'),
  () => import('@adonisjs/core/providers/vinejs_provider'),
  () => import('@adonisjs/lucid/database_provider'),
  () => import('@adonisjs/session/session_provider'),
  () => import('@adonisjs/auth/auth_provider'),
]

/** Settings that every application has: SQLite as this application uses it, no log below errors. */
export function baseConfig() {
  return {
    app: { appKey, http: defineHttp({ generateRequestId: true, cookie }) },
    encryption: defineEncryption({
      default: 'gcm',
      list: { gcm: drivers.aes256gcm({ keys: [appKey], id: 'gcm' }) },
    }),
    hash: defineHash({
      default: 'scrypt',
      list: { scrypt: hashers.scrypt({ cost: 1024, blockSize: 8, parallelization: 1 }) },
    }),
    bodyparser: defineBodyParser({}),
    database: defineDatabase({
      connection: 'sqlite',
      connections: {
        sqlite: {
          client: 'better-sqlite3',
          connection: { filename: process.env.SQLITE_FILE },
          useNullAsDefault: true,
          pool: { afterCreate: prepareConnection },
        },
      },
    }),
    logger: { default: 'app', loggers: { app: { enabled: true, level: 'error' } } },
  }
}

function prepareConnection(connection, done) {
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  done(null, connection)
}

/** The hash service, once the application has booted. */
let hashes

/** Finds users by their credentials. */
export const findsUsers = withAuthFinder(() => hashes.use('scrypt'), {
  uids: ['email'],
  passwordColumnName: 'password',
})

/** The model of users, with what a package mixes in. */
export function userModel(...mixins) {
  class User extends compose(BaseModel, ...mixins) {
    static table = 'users'
  }
  column({ isPrimary: true })(User.prototype, 'id')
  column()(User.prototype, 'email')
  column({ serializeAs: null })(User.prototype, 'password')
  return User
}

export async function createUsers(app) {
  const db = await app.container.make('lucid.db')
  await db.connection().schema.createTable('users', (table) => {
    table.increments('id')
    table.string('email').notNullable().unique()
    table.string('password').notNullable()
  })
  hashes = await app.container.make('hash')
  const password = await hashes.make('bench-password')
  const users = Array.from({ length: 21 }, (_, index) => ({
    email: `user${index + 1}@bench.test`,
    password,
  }))
  await db.table('users').multiInsert(users)
  return db
}

/**
 * Starts the application.
 *
 * @param more providers beside the common ones
 * @param prepare makes tables and rows
 * @param route adds routes
 */
export function serve({ config, more = [], prepare, route }) {
  const ignitor = new Ignitor(new URL('./', import.meta.url), {
    importer: (file) => import(file),
  }).tap((app) => {
    app.initiating(() => {
      app.useConfig({ ...baseConfig(), ...config })
      app.rcContents(defineApp({ providers: [...providers, ...more] }))
    })
    app.starting(async () => {
      await prepare(app)
      await route(await app.container.make('router'), await app.container.make('server'))
    })
  })
  return ignitor.httpServer().start()
}

/** Middleware that a route names. */
export function named(router) {
  return router.named({
    body: () => import('@adonisjs/core/bodyparser_middleware'),
    session: () => import('@adonisjs/session/session_middleware'),
    auth: () => import('@adonisjs/auth/initialize_auth_middleware'),
  })
}
