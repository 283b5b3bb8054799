import type { Visitor } from '#starter/helpers/visitor'
import { appUrl } from '#config/app'
import type User from '#models/user'

/** Somebody in a workspace, with a session or a token for it, and a token for MCP. */
export interface Caller {
  user: User
  workspace: number
  visitor: Visitor
  headers: Record<string, string>
  mcp: string
}

/** A post with its comment, and the workspace of both. */
export interface Row {
  id: number
  workspace: number
  comment: number
}

/** What a caller does about a row; the answer is text to be searched for what is foreign. */
interface Act {
  what: string
  act(caller: Caller, row: Row): Promise<string>
}

const JSON_API = 'application/vnd.api+json'
const ATOMIC = `${JSON_API}; ext="https://jsonapi.org/ext/atomic"`
const HTML = { accept: 'text/html' }

async function ask(
  { visitor, headers }: Caller,
  method: string,
  path: string,
  json?: unknown,
  type = JSON_API
): Promise<string> {
  const response = await visitor.request(method, path, {
    headers: { accept: type, ...headers, ...(json !== undefined && { 'content-type': type }) },
    csrf: !headers.authorization,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return response.text()
}

async function call({ visitor, mcp }: Caller, method: string, params: object): Promise<string> {
  const json = { jsonrpc: '2.0', id: 1, method, params }
  const accept = 'application/json, text/event-stream'
  const headers = { accept, authorization: `Bearer ${mcp}` }
  return (await visitor.post('/mcp', { json, headers })).text()
}

const tool = (caller: Caller, name: string, values: object) =>
  call(caller, 'tools/call', { name, arguments: values })

const operate = (caller: Caller, ...operations: object[]) =>
  ask(caller, 'POST', '/api/operations', { 'atomic:operations': operations }, ATOMIC)

/** One post of the caller's own workspace. */
async function ownPost(caller: Caller): Promise<string> {
  const { data } = JSON.parse(await ask(caller, 'GET', '/api/posts?page[size]=1'))
  return data[0].id
}

/** The cursors that callers were given: each may be sent by another one. */
const cursors: string[] = []

const linkage = ({ comment }: Row) => [{ type: 'comments', id: String(comment) }]
const titled = ({ workspace }: Caller, { id }: Row) => ({
  data: { type: 'posts', id: String(id), attributes: { title: `of ${workspace}` } },
})

const READS: Act[] = [
  { what: 'reads', act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}`) },
  {
    what: 'includes',
    act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}?include=comments.author,author`),
  },
  { what: 'lists', act: (caller) => ask(caller, 'GET', '/api/posts?include=comments&sort=title') },
  {
    what: 'filters',
    act: (caller) => ask(caller, 'GET', `/api/posts?filter[author]=${caller.user.id}`),
  },
  {
    what: 'walks by a cursor of somebody',
    async act(caller) {
      const first = await ask(caller, 'GET', '/api/posts?page[after]=&page[size]=2')
      cursors.push(...(/"next":"([^"]+)"/.exec(first)?.slice(1) ?? []))
      const next = cursors[caller.workspace % cursors.length]
      return first + (next ? await ask(caller, 'GET', next.replace(appUrl, '')) : '')
    },
  },
  { what: 'follows', act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}/comments`) },
  {
    what: 'asks the author',
    act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}/author`),
  },
  {
    what: 'reads a relationship',
    act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}/relationships/comments`),
  },
  {
    what: 'opens a page',
    async act({ visitor, headers }, { id }) {
      const list = await visitor.get('/posts', { headers: { ...HTML, ...headers } })
      const one = await visitor.get(`/posts/${id}`, { headers: { ...HTML, ...headers } })
      return (await list.text()) + (await one.text())
    },
  },
]

const WRITES: Act[] = [
  {
    what: 'changes',
    act: (caller, row) => ask(caller, 'PATCH', `/api/posts/${row.id}`, titled(caller, row)),
  },
  {
    what: 'moves a comment',
    async act(caller, row) {
      const path = `/api/posts/${await ownPost(caller)}/relationships/comments`
      return ask(caller, 'POST', path, { data: linkage(row) })
    },
  },
  {
    what: 'removes a comment',
    act: (caller, row) =>
      ask(caller, 'DELETE', `/api/posts/${row.id}/relationships/comments`, {
        data: row.workspace === caller.workspace ? [] : linkage(row),
      }),
  },
  {
    what: 'deletes',
    act: async (caller, { id, workspace }) =>
      workspace === caller.workspace ? '' : ask(caller, 'DELETE', `/api/posts/${id}`),
  },
  {
    what: 'changes by an operation',
    act: (caller, row) => operate(caller, { op: 'update', ...titled(caller, row) }),
  },
  {
    what: 'comments by an operation',
    act: (caller, { id }) =>
      operate(caller, {
        op: 'add',
        data: {
          type: 'comments',
          attributes: { body: `said in ${caller.workspace}` },
          relationships: { post: { data: { type: 'posts', id: String(id) } } },
        },
      }),
  },
  {
    what: 'moves a comment by an operation',
    act: async (caller, row) =>
      operate(caller, {
        op: 'add',
        ref: { type: 'posts', id: await ownPost(caller), relationship: 'comments' },
        data: linkage(row),
      }),
  },
  {
    what: 'removes by operations',
    act: async (caller, { id, comment, workspace }) =>
      workspace === caller.workspace
        ? ''
        : (await operate(caller, { op: 'remove', href: `/api/posts/${id}` })) +
          (await operate(caller, {
            op: 'remove',
            ref: { type: 'comments', id: String(comment) },
          })),
  },
]

const MCP: Act[] = [
  { what: 'searches', act: (caller) => tool(caller, 'search_posts', { query: 'secret' }) },
  { what: 'reads by a tool', act: (caller, { id }) => tool(caller, 'read_post', { id }) },
  { what: 'lists by a tool', act: (caller) => tool(caller, 'my_posts', {}) },
  {
    what: 'changes by a tool',
    act: (caller, { id }) => tool(caller, 'update_post', { id, title: `of ${caller.workspace}` }),
  },
  {
    what: 'deletes by a tool',
    act: async (caller, { id, workspace }) =>
      workspace === caller.workspace ? '' : tool(caller, 'delete_post', { id }),
  },
  {
    what: 'writes by a tool',
    act: (caller) =>
      tool(caller, 'create_post', {
        title: `of ${caller.workspace}`,
        body: `secret ${caller.workspace}`,
      }),
  },
  {
    what: 'reads a resource',
    act: (caller, { id }) => call(caller, 'resources/read', { uri: `blog://posts/${id}` }),
  },
  {
    what: 'reads the list of a resource',
    act: (caller) => call(caller, 'resources/read', { uri: 'blog://posts/latest' }),
  },
  {
    what: 'gets a prompt',
    act: (caller, { id }) =>
      call(caller, 'prompts/get', { name: 'summarize_post', arguments: { id: String(id) } }),
  },
]

export const ACTS: Act[] = [...READS, ...WRITES, ...MCP]
