import type { Client, Transport } from '@modelcontextprotocol/client'
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { FrameLocator, Page } from 'playwright'

const HOST = 'https://host.example.com/'
const SANDBOX = 'https://sandbox.example.com/'

/** What a host sends for a page that declares no origin (MCP Apps 2026-01-26, "Host Behavior"). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
].join('; ')

/** Carries the messages of the bridge, which runs here, to and from the frame of the app. */
class FrameTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void

  constructor(readonly page: Page) {}

  async start() {
    await this.page.exposeFunction('deliver', (message: any) => this.onmessage?.(message))
  }

  async send(message: object) {
    await this.page.evaluate((sent) => {
      const { document } = globalThis as any
      document.querySelector('iframe').contentWindow.postMessage(sent, '*')
    }, message)
  }

  async close() {
    this.onclose?.()
  }
}

/** Shows the app of a tool with the result of a call, as a client does: by the host bridge of ext-apps. */
export async function showApp(
  client: Client,
  page: Page,
  call: { name: string; arguments?: Record<string, unknown> }
): Promise<{ app: FrameLocator; violations: string[] }> {
  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => name === call.name)!
  const { contents } = await client.readResource({ uri: (tool._meta as any).ui.resourceUri })
  const html = (contents[0] as { text: string }).text

  const violations: string[] = []
  await page.exposeFunction('violated', (what: string) => violations.push(what))
  await page.addInitScript(() => {
    const { document, violated } = globalThis as any
    document.addEventListener('securitypolicyviolation', (event: any) =>
      violated(`${event.violatedDirective} ${event.blockedURI}`)
    )
  })
  await page.route(HOST, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Host</title>
        <script>addEventListener('message', ({ data }) => deliver(data))</script>
        <main><h1>Host</h1><iframe title="App" sandbox="allow-scripts" src="${SANDBOX}"></iframe></main>`,
    })
  )
  await page.route(SANDBOX, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': POLICY },
      body: html,
    })
  )

  const bridge = new AppBridge(client, { name: 'test', version: '1.0.0' }, { serverTools: {} })
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve()
  })
  await bridge.connect(new FrameTransport(page))
  await page.goto(HOST)
  await initialized
  await bridge.sendToolInput({ arguments: call.arguments ?? {} })
  await bridge.sendToolResult((await client.callTool(call)) as any)
  return { app: page.frameLocator('iframe'), violations }
}
