import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const LANGUAGES = readdirSync(app.languageFilesPath())

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
      assert.sameMembers([...messagesOf(language).keys()], [...messagesOf('en').keys()])
    })

  test('every message leaves the same open in each language: {$self}')
    .with(LANGUAGES)
    .run(({ assert }, language) => {
      const english = messagesOf('en')
      for (const [key, message] of messagesOf(language)) {
        assert.deepEqual(openPlaces(message), openPlaces(english.get(key)!), key)
      }
    })
})
