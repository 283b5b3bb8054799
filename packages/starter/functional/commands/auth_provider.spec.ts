import { Readable } from 'node:stream'

import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'

import AuthProvider from 'adonis-auth-kit/commands/auth_provider'
import { keepLogs, logOf } from '#starter/helpers/commands'
import { CLIENT_SECRET } from '#starter/helpers/fake_provider'
import { fieldsOf, records, useOrganisations } from '#starter/helpers/organisations'

const { stdin } = process

async function run(...args: string[]) {
  return runWith(Object.assign(Readable.from([]), { isTTY: true }), CLIENT_SECRET, args)
}

async function runWith(input: Readable, answer: string, args: string[]) {
  const command = await ace.create(AuthProvider, args)
  if ('isTTY' in input && args.length > 2 && args[0] === 'add') {
    command.prompt.trap('Client secret').replyWith(answer)
  }
  Object.defineProperty(process, 'stdin', { value: input })
  try {
    await command.exec()
  } finally {
    Object.defineProperty(process, 'stdin', { value: stdin })
  }
  return { command, log: logOf(command) }
}

test.group('node ace auth:provider', (group) => {
  group.each.setup(keepLogs)

  test('adds a provider, verifies its domain, forbids passwords, allows them, lists and removes it', async ({
    assert,
  }) => {
    const social = await useOrganisations()
    const { domain, organisations, provider } = social
    const client = [`--issuer=${provider.issuer}`, `--client-id=${provider.clientId}`]
    const made = await run('add', domain, ...client)
    made.command.assertSucceeded()
    const [row] = await organisations.list('all')
    const record = organisations.recordOf(row!)
    assert.include(made.log, `${record.name}  ${record.value}`)
    assert.include(made.log, `/auth/${row!.name}/callback`)
    assert.notInclude(made.log, CLIENT_SECRET)

    const early = await run('verify', domain)
    early.command.assertFailed()
    assert.include(early.log, 'The TXT record was not found')
    records.set(record.name, [record.value])
    const verified = await run('verify', domain)
    verified.command.assertSucceeded()
    const forbidden = await run('enforce', row!.name)
    forbidden.command.assertSucceeded()
    const list = await run('list')
    assert.include(list.log, `${domain}  ${provider.issuer}  verified  no passwords`)
    assert.notInclude(list.log, row!.clientSecret)
    const allowed = await run('enforce', domain, '--off')
    allowed.command.assertSucceeded()
    assert.isFalse((await organisations.get('all', row!.id))!.forbidsPassword)
    const removed = await run('remove', domain)
    removed.command.assertSucceeded()
    assert.lengthOf(await organisations.list('all'), 0)
  })

  test('says what is missing', async ({ assert }) => {
    const social = await useOrganisations()
    for (const [args, message] of [
      [['burn'], 'There is no action "burn"'],
      [['add', social.domain], 'Name the domain, "--issuer" and "--client-id"'],
      [['verify', 'unknown.example'], 'There is no such provider'],
      [['verify'], 'Name the domain, or the provider'],
    ] as const) {
      const { command, log } = await run(...args)
      command.assertFailed()
      assert.include(log, message)
    }
    await social.organisations.add(fieldsOf(social), 1)
    await social.organisations.add(fieldsOf(social), 2)
    assert.include((await run('remove', social.domain)).log, 'Several have this domain')
  })

  test('adds no provider without a client secret, typed or from standard input', async ({
    assert,
  }) => {
    const { domain, organisations, provider } = await useOrganisations()
    const args = ['add', domain, `--issuer=${provider.issuer}`, `--client-id=${provider.clientId}`]
    const terminal = Object.assign(Readable.from([]), { isTTY: true })
    for (const input of [terminal, Readable.from([]), Readable.from(['\n'])]) {
      const { command, log } = await runWith(input, '', args)
      command.assertFailed()
      assert.include(log, 'Enter the client secret in a terminal, or send it to standard input')
      assert.lengthOf(await organisations.list('all'), 0)
    }
    const piped = await runWith(Readable.from([`${CLIENT_SECRET}\n`]), '', args)
    piped.command.assertSucceeded()
    assert.lengthOf(await organisations.list('all'), 1)
  })
})
