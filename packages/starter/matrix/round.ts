import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import db from '@adonisjs/lucid/services/db'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type { DocumentServer } from '#starter/helpers/document_server'
import { authorizationServer, registerClient } from '#starter/helpers/oauth'
import { PageSession } from '#starter/helpers/page_session'
import { freePort } from '#starter/helpers/server_process'

import type { Program, Way } from './programs.js'

export const WAYS: Way[] = ['metadata document', 'dynamic registration', 'registered by you']

/** What a program did: its cells of the table, and why the last one says "fails". */
export interface Result {
  way: Way
  cells: string[]
  error?: unknown
}

/** A running client, as the modules of programs/ make it. */
interface Client {
  /** Signs the person in, also when it holds a token. */
  signIn(): Promise<unknown>
  /** @throws when the server refuses, and the program does not sign in by itself */
  call(tool: string, args: object): Promise<unknown>
  stop(): Promise<unknown>
}

interface RoundOptions {
  program: Program
  way: Way
  /** Of the application. */
  url: string
  /** For the files of all programs. */
  folder: string
  /** Where metadata documents are. */
  site: DocumentServer
}

const EXPIRIES = 2
/** Milliseconds after which a new token is near its end for a program that looks at the clock. */
const CLOCK = 2500

let count = 0

/** One program that has got its client_id in one way, through all steps. */
export class Round {
  readonly #opened: URL[] = []
  /** The scopes that the person does not allow. */
  #unticked: string[] = []
  #client!: Client
  #userId!: string
  #clientId?: string
  readonly #number = ++count

  constructor(protected options: RoundOptions) {}

  async run(): Promise<Result> {
    const { program, way } = this.options
    const lacks = program.lacks?.[way]
    if (lacks) {
      return { way, cells: [`not offered by the client: ${lacks}`, '', '', '', ''] }
    }
    const cells: string[] = []
    try {
      await this.#start()
      for (const step of [this.#signIn, this.#read, this.#write, this.#expire, this.#disconnect]) {
        cells.push(await step.call(this))
      }
      return { way, cells }
    } catch (error) {
      return { way, cells: [...cells, 'fails'], error }
    } finally {
      await this.#client?.stop().catch(() => {})
    }
  }

  async #start() {
    const { program, url, folder } = this.options
    const { email, id } = await UserFactory.create()
    const session = new PageSession({ email, password: FACTORY_PASSWORD })
    this.#userId = String(id)
    const own = join(folder, String(this.#number))
    await mkdir(own)
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    this.#clientId = await this.#identify(redirectUri)
    const { start } = await import(`./programs/${program.module}.js`)
    this.#client = await start(
      {
        url: `${url}${program.mount}`,
        issuer: url,
        clientId: this.#clientId,
        isDocument: this.options.way === 'metadata document',
        redirectUri,
        folder: own,
        env: { ...process.env, HOME: own, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
        /** The person allows what a page asks; resolves to where the browser is sent. */
        allow: (page: URL) => {
          this.#opened.push(page)
          return session.allow(page, this.#unticked)
        },
      },
      program.mode
    )
  }

  /** The client_id that the program is given; undefined when it registers itself. */
  async #identify(redirectUri: string): Promise<string | undefined> {
    const { way, site } = this.options
    const redirectUris = [redirectUri, 'http://127.0.0.1/callback', 'http://localhost/callback']
    switch (way) {
      case 'metadata document':
        return site.serveClient(`/${this.#number}.json`, { redirect_uris: redirectUris })
      case 'dynamic registration':
        return undefined
      case 'registered by you': {
        const client = await registerClient({ redirectUris, confidential: false, gracePeriod: 60 })
        return client.id
      }
    }
  }

  async #signIn() {
    this.#unticked = ['posts:write']
    await this.#client.signIn()
    this.#unticked = []
    const [page, ...more] = this.#opened
    if (!page || more.length) throw new Error(`It has opened ${this.#opened.length} pages`)
    const { program, url } = this.options
    const id = page.searchParams.get('client_id')
    if (this.#clientId && id !== this.#clientId) throw new Error(`Its client_id is ${id}`)
    if (page.searchParams.get('resource') !== `${url}${program.mount}`) {
      throw new Error(`It signs in for ${page.searchParams.get('resource')}`)
    }
    return 'yes'
  }

  async #read() {
    await this.#call('my_posts')
    return 'yes'
  }

  #write() {
    return this.#callAgain('asks for it')
  }

  async #expire() {
    const { byClock, oneAtATime } = this.options.program
    const before = this.#opened.length
    for (let expiry = 0; expiry < EXPIRIES; expiry++) {
      if (byClock) await sleep(CLOCK)
      await db.from('oauth_access_tokens').where('user_id', this.#userId).update({ expires_at: 1 })
      const calls = Array.from({ length: oneAtATime ? 1 : 3 }, () => this.#call('my_posts'))
      await Promise.all(calls)
    }
    if (this.#opened.length > before) throw new Error('It has signed in again')
    return oneAtATime ? `one at a time: ${oneAtATime}` : 'yes'
  }

  async #disconnect() {
    const { tokens } = await authorizationServer()
    for (const { id } of await db.from('oauth_grants').where('user_id', this.#userId)) {
      await tokens.grants.revoke(id, Date.now())
    }
    return this.#callAgain('yes')
  }

  /** Calls what it may not call without a page of the person's: the program opens it, or is told to. */
  async #callAgain(byItself: string) {
    const before = this.#opened.length
    try {
      await this.#call('create_post')
    } catch {
      await this.#client.signIn()
      await this.#call('create_post')
      return 'after signing in again'
    }
    if (this.#opened.length === before) throw new Error('It has asked nobody')
    return byItself
  }

  async #call(tool: 'my_posts' | 'create_post') {
    const args = tool === 'create_post' ? { title: 'Cats', body: 'They sleep.' } : {}
    const result = await this.#client.call(tool, args)
    if (!JSON.stringify(result).includes(tool === 'create_post' ? 'id' : 'posts')) {
      throw new Error(`${tool} answers ${JSON.stringify(result)}`)
    }
  }
}
