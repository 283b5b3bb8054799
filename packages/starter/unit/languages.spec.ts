import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { messages as rules } from '@vinejs/vine/defaults'

import scopes from '#config/scopes'

const LANGUAGES = readdirSync(app.languageFilesPath())

/** Permissions are in English where they are defined: `config/scopes.ts`, and the scopes of OpenID Connect. */
const PERMISSIONS = 'pages.permissions.'
const OPENID_SCOPES = ['openid', 'profile', 'email']

type Messages = { [key: string]: string | Messages }

function messagesOf(language: string): Map<string, string> {
  const found = new Map<string, string>()
  const read = (messages: Messages, path: string) => {
    for (const [key, value] of Object.entries(messages)) {
      typeof value === 'string' ? found.set(`${path}.${key}`, value) : read(value, `${path}.${key}`)
    }
  }
  for (const file of globSync(app.makePath('{,packages/kit/}resources/lang', language, '*.json'))) {
    read(JSON.parse(readFileSync(file, 'utf8')), basename(file, '.json'))
  }
  return found
}

/** What a message leaves open, without what ICU says of it. */
const openPlaces = (message: string) =>
  [...new Set([...message.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name))].sort()

test.group('Languages', () => {
  test('every language has the messages of every other one: {$self}')
    .with(LANGUAGES)
    .run(({ assert }, language) => {
      const keys = [...messagesOf(language).keys()].filter((key) => !key.startsWith(PERMISSIONS))
      assert.sameMembers(keys, [...messagesOf('en').keys()])
    })

  test('every language but the one of the catalogue has words for each permission: {$self}')
    .with(LANGUAGES.filter((language) => language !== 'en'))
    .run(({ assert }, language) => {
      const keys = [...messagesOf(language).keys()].filter((key) => key.startsWith(PERMISSIONS))
      const names = [...Object.keys(scopes), ...OPENID_SCOPES]
      assert.sameMembers(
        keys,
        names.map((name) => PERMISSIONS + name)
      )
    })

  test('every message leaves the same open in each language: {$self}')
    .with(LANGUAGES)
    .run(({ assert }, language) => {
      const english = messagesOf('en')
      for (const [key, message] of messagesOf(language)) {
        assert.deepEqual(openPlaces(message), openPlaces(english.get(key) ?? ''), key)
      }
    })

  test('every rule of VineJS has a message in each language, of what it tells: {$self}')
    .with(LANGUAGES)
    .run(({ assert }, language) => {
      const found = messagesOf(language)
      for (const [rule, message] of Object.entries(rules)) {
        const told = [...message.matchAll(/\{\{ (\w+) \}\}/g)].map(([, name]) => name)
        const words = found.get(`validation.messages.${rule}`)
        assert.includeMembers(['field', ...told], openPlaces(words ?? '{missing}'), rule)
      }
    })
})
