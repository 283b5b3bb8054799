import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { answersIn } from './servers.js'

/** nginx with the sample of deploy/, whose names are replaced by those of this run. */
export class Proxy {
  #output = ''

  private constructor(readonly child: ChildProcess) {
    child.stderr!.on('data', (chunk) => (this.#output += chunk))
  }

  /**
   * @param options.address a loopback address of the run's own: nginx has the ports 80 and 443 there
   * @param options.certificates holds fullchain.pem and privkey.pem
   * @param options.upstreams URLs of the servers
   */
  static async start(options: {
    sample: string
    folder: string
    address: string
    certificates: string
    upstreams: string[]
  }): Promise<Proxy> {
    const { sample, folder, address, certificates, upstreams } = options
    const servers = upstreams.map((url) => `server ${new URL(url).host} max_fails=0;`)
    const replacements: [string, string][] = [
      ['server app:3333 max_fails=0;', servers.join(' ')],
      ['/etc/nginx/tls/', `${certificates}/`],
      ['listen 80;', `listen ${address}:80;`],
      ['listen 443 ', `listen ${address}:443 `],
      ['http {\n', `http {\n  access_log ${join(folder, 'access.log')};\n`],
    ]
    let text = await readFile(sample, 'utf8')
    for (const [name, own] of replacements) {
      if (!text.includes(name)) {
        throw new Error(`${sample}: there is no "${name.trim()}"`)
      }
      text = text.replaceAll(name, own)
    }
    const file = join(folder, 'nginx.conf')
    await writeFile(file, text)

    const settings = `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr warn;`
    const child = spawn('nginx', ['-c', file, '-g', settings], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const proxy = new Proxy(child)
    await answersIn(`https://${address}/health/live`, () => proxy.#findEnd())
    return proxy
  }

  /** What nginx has complained about, without the refused connections of a server that restarts. */
  get complaints(): string {
    const lines = this.#output.split('\n').filter((line) => !line.includes('Connection refused'))
    return lines.slice(0, 5).join('\n')
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGQUIT')
      await once(this.child, 'exit')
    }
  }

  #findEnd(): string | null {
    return this.child.exitCode === null ? null : `nginx has ended: ${this.#output}`
  }
}
