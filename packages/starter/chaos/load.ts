import { setTimeout as sleep } from 'node:timers/promises'

import { type Caller, signUp } from '#starter/fuzz/caller'
import type { Random } from '#starter/fuzz/random'
import { Visitor } from '#starter/helpers/visitor'

import { complaintAbout } from './answers.js'
import type { Ledger } from './ledger.js'

/** Milliseconds after which an answer counts as none. */
const PATIENCE = 20_000

/** Milliseconds between two requests of a worker: enough load to be in the middle of something. */
const PAUSE = 15

interface Answer {
  status: number
  body: any
}

/** One user with a program that never stops: it signs in, and gets, refreshes and revokes tokens. */
export class Worker {
  /** The newest refresh token of the family, and whether it may have been redeemed without an answer. */
  #refreshToken: string | null
  #isUncertain = false
  #isRunning = true
  readonly #visitor = new Visitor()

  private constructor(
    readonly name: string,
    readonly caller: Caller,
    readonly urls: () => string[],
    readonly ledger: Ledger,
    readonly random: Random
  ) {
    this.#refreshToken = caller.refreshToken
    for (const pair of caller.cookie.split('; ')) {
      const at = pair.indexOf('=')
      this.#visitor.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    ledger.addBearer(`${name}: the first API token`, caller.apiToken)
  }

  static async start(
    name: string,
    urls: () => string[],
    ledger: Ledger,
    random: Random
  ): Promise<Worker> {
    return new Worker(name, await signUp(urls()[0]!, ledger.client), urls, ledger, random)
  }

  async run(): Promise<void> {
    const operations: (() => Promise<unknown>)[] = [
      () => this.issue(),
      () => this.refresh(),
      () => this.refresh(),
      () => this.race(),
      () => this.apiToken(),
      () => this.revoke(),
      () => this.login(),
      () => this.look(),
    ]
    while (this.#isRunning) {
      await this.random.pick(operations)()
      await sleep(PAUSE)
    }
  }

  stop(): void {
    this.#isRunning = false
  }

  /** Whether each kind of request succeeds. */
  async works(): Promise<boolean> {
    return (
      (await this.issue()) && (await this.apiToken()) && (await this.login()) && (await this.look())
    )
  }

  async issue(): Promise<boolean> {
    const answer = await this.#token({ grant_type: 'client_credentials', scope: 'posts:read' })
    if (answer?.status === 200) {
      this.ledger.addToken(`${this.name}: an access token`, answer.body.access_token)
    }
    return this.#expect(answer, 200, 'issue')
  }

  async refresh(): Promise<void> {
    if (!this.#refreshToken) {
      return this.#newFamily()
    }
    const token = this.#refreshToken
    const answer = await this.#token({ grant_type: 'refresh_token', refresh_token: token })
    if (answer?.status === 200) {
      this.ledger.count('refresh')
      this.#refreshToken = answer.body.refresh_token
      this.#isUncertain = false
    } else if (answer?.status === 400 && this.#isUncertain) {
      /* It had been redeemed, and the answer was lost: its reuse ends the family. */
      this.#refreshToken = null
      this.#isUncertain = false
    } else {
      this.#isUncertain = true
      this.#expect(answer, 200, 'refresh')
    }
  }

  /** The same refresh token to every server at once: it is redeemed once at most. */
  async race(): Promise<void> {
    if (!this.#refreshToken) {
      return this.#newFamily()
    }
    const fields = { grant_type: 'refresh_token', refresh_token: this.#refreshToken }
    this.#refreshToken = null
    this.#isUncertain = false
    const answers = await Promise.all(this.urls().map((url) => this.#token(fields, url)))
    const redeemed = answers.filter((answer) => answer?.status === 200)
    if (redeemed.length > 1) {
      this.ledger.count('doubled')
      this.ledger.fail(`${this.name}: a refresh token was redeemed ${redeemed.length} times`)
    }
    answers
      .filter((answer) => answer && ![200, 400].includes(answer.status))
      .forEach((answer) => this.#expect(answer, 200, 'race'))
  }

  async apiToken(): Promise<boolean> {
    const answer = await this.#send('POST', '/api/tokens', { name: 'A', abilities: ['posts:read'] })
    if (answer?.status === 201) {
      this.ledger.addBearer(`${this.name}: an API token`, answer.body.token)
    }
    return this.#expect(answer, 201, 'API token')
  }

  async revoke(): Promise<void> {
    const issued = await this.#token({ grant_type: 'client_credentials', scope: 'posts:read' })
    if (issued?.status !== 200) {
      return void this.#expect(issued, 200, 'issue')
    }
    const token = issued.body.access_token
    const answer = await this.#form('/oauth/revoke', { token })
    if (this.#expect(answer, 200, 'revoke')) {
      this.ledger.addRevoked(`${this.name}: a revoked access token`, token)
    }
  }

  async login(): Promise<boolean> {
    const visitor = new Visitor()
    const { email, password } = this.caller
    const answer = await this.#send('POST', '/login', { email, password }, visitor)
    if (answer?.status === 200) {
      this.ledger.addSession(`${this.name}: a session`, visitor)
    }
    return this.#expect(answer, 200, 'login')
  }

  async look(): Promise<boolean> {
    return this.#expect(await this.#send('GET', '/api/me'), 200, 'look')
  }

  async #newFamily(): Promise<void> {
    const { email, password } = this.caller
    const scope = 'posts:read'
    const answer = await this.#token({ grant_type: 'password', username: email, password, scope })
    if (this.#expect(answer, 200, 'password grant')) {
      this.#refreshToken = answer!.body.refresh_token
    }
  }

  #token(fields: Record<string, string>, url?: string) {
    return this.#form('/oauth/token', fields, url)
  }

  #form(path: string, fields: Record<string, string>, url = this.random.pick(this.urls())) {
    const { id, secret } = this.caller.client
    const form = { ...fields, client_id: id, client_secret: secret }
    return this.#answer(path, new Visitor().request('POST', url + path, { form }))
  }

  #send(method: string, path: string, json?: unknown, visitor = this.#visitor) {
    const csrf = visitor.cookies.size > 0
    const url = this.random.pick(this.urls()) + path
    const headers = { accept: 'application/json' }
    return this.#answer(path, visitor.request(method, url, { json, csrf, headers }))
  }

  /** What was answered, or null when the connection broke. */
  async #answer(path: string, response: Promise<Response>): Promise<Answer | null> {
    const read = response.then(async (answered) => ({
      answered,
      status: answered.status,
      body: await answered.json().catch(() => null),
    }))
    const answer = await Promise.race([
      read.catch(() => null),
      sleep(PATIENCE, 'late' as const, { ref: false }),
    ])
    if (answer === 'late') {
      this.ledger.fail(`${this.name}: ${path} was not answered within ${PATIENCE} ms`)
      return null
    }
    this.ledger.count(answer ? String(answer.status) : 'no answer')
    const complaint = answer && complaintAbout(path, answer.answered, answer.body)
    if (complaint) {
      this.ledger.fail(`${this.name}: ${path} ${complaint}: ${JSON.stringify(answer.body)}`)
    }
    return answer
  }

  /** While something fails, a request may fail with 5xx or without an answer, and in no other way. */
  #expect(answer: Answer | null, status: number, what: string): boolean {
    if (answer?.status === status) {
      return true
    }
    if (answer && answer.status < 500) {
      const { status: seen, body } = answer
      this.ledger.fail(`${this.name}: ${what} was answered ${seen} ${JSON.stringify(body)}`)
    }
    return false
  }
}
