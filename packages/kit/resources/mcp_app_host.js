/*
| Runs in the page of an app: connects it with the client that shows it, over `postMessage` (MCP Apps
| 2026-01-26, "Communication Protocol"). Views have it as `hostScript`.
*/

/** For the scripts of the page. */
const mcpHost = (() => {
  const waiting = new Map()
  const host = window.parent
  let listeners = {}
  let last = 0

  /* The page does not know the origin of the client; it sends nothing that the client did not. */
  const send = (message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      send({ id: last, method, params })
    })

  function dress({ theme, styles }) {
    const { style } = document.documentElement
    if (theme) {
      style.colorScheme = theme
    }
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      style.setProperty(name, value)
    }
  }

  const handlers = {
    'ui/notifications/tool-input': (params) => listeners.input?.(params.arguments ?? {}),
    'ui/notifications/tool-result': (params) => listeners.result?.(params),
    'ui/notifications/host-context-changed': dress,
  }

  window.addEventListener('message', ({ source, data }) => {
    if (source !== host || data?.jsonrpc !== '2.0') {
      return
    }
    const asked = data.method === undefined ? waiting.get(data.id) : undefined
    if (asked) {
      waiting.delete(data.id)
      return data.error ? asked.reject(new Error(data.error.message)) : asked.resolve(data.result)
    }
    handlers[data.method]?.(data.params ?? {})
    if (data.method && data.id !== undefined) {
      const isKnown = data.method === 'ping' || data.method === 'ui/resource-teardown'
      const error = { code: -32601, message: 'Method not found' }
      send(isKnown ? { id: data.id, result: {} } : { id: data.id, error })
    }
  })

  return {
    /** Begins: `input` gets the arguments of the call that the page belongs to, `result` its result. */
    async start(wanted) {
      listeners = wanted
      const { hostContext } = await ask('ui/initialize', {
        protocolVersion: '2026-01-26',
        appInfo: { name: document.title, version: '1.0.0' },
        appCapabilities: {},
      })
      dress(hostContext ?? {})
      send({ method: 'ui/notifications/initialized' })
      const { documentElement: page } = document
      const tell = () =>
        send({
          method: 'ui/notifications/size-changed',
          params: { width: page.scrollWidth, height: page.getBoundingClientRect().height },
        })
      new ResizeObserver(tell).observe(page)
    },
    /** Calls a tool of the server; fails with its text when the tool does. */
    async call(name, args = {}) {
      const result = await ask('tools/call', { name, arguments: args })
      if (result.isError) {
        throw new Error(result.content.map(({ text }) => text ?? '').join('\n'))
      }
      return result
    },
    read: (uri) => ask('resources/read', { uri }),
    /** Writes into the conversation, in the name of the person. */
    say: (text) => ask('ui/message', { role: 'user', content: [{ type: 'text', text }] }),
    /** Opens a link outside of the page. */
    open: (url) => ask('ui/open-link', { url }),
  }
})()
