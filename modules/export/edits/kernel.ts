import ts from 'typescript'

import { append, argumentsOf, editNode } from '#export/edits/lists'
import type { Target } from '#export/target'

const PATH = 'start/kernel.ts'

/** It runs before any route is looked up, so that browsers' preflight requests have their answer. */
const CORS = `() => import('#support/middleware/route_cors_middleware')`

/** Named middleware, by names that `@adonisjs/auth` leaves free. */
const NAMED = {
  authenticated: `() => import('#auth/middleware/auth_middleware')`,
  scopes: `() => import('#auth/middleware/scopes_middleware')`,
}

/** Adds middleware to the stack of the server and to the named ones. */
export function editKernel(target: Target): void {
  target.edit(
    PATH,
    (text) =>
      text.includes(CORS)
        ? text
        : editNode(PATH, text, (node) => {
            const [list] = argumentsOf(node, 'server.use')
            return list && ts.isArrayLiteralExpression(list) ? before(list, text) : undefined
          }),
    { task: 'Add to server.use, before the middleware of @adonisjs/cors', lines: `${CORS},` }
  )
  const named = Object.entries(NAMED).map(([name, loader]) => `${name}: ${loader}`)
  target.edit(
    PATH,
    (text) => {
      const missing = named.filter((line) => !text.includes(line))
      return missing.length
        ? editNode(PATH, text, (node) => {
            const [list] = argumentsOf(node, 'router.named')
            const isFree =
              list &&
              ts.isObjectLiteralExpression(list) &&
              !list.properties.some((one) => one.name && one.name.getText() in NAMED)
            return isFree ? append(list, missing) : undefined
          })
        : text
    },
    { task: 'Add to router.named', lines: named.map((line) => `${line},`).join('\n') }
  )
}

/** Before the middleware of `@adonisjs/cors`, which would answer preflight requests itself; else at the end. */
function before(list: ts.ArrayLiteralExpression, text: string) {
  const cors = list.elements.find((item) => item.getText().includes('@adonisjs/cors'))
  if (!cors) {
    return append(list, [CORS])
  }
  const indent = /\n[ \t]*$/.exec(text.slice(0, cors.getStart()))?.[0] ?? ' '
  return { start: cors.getStart(), end: cors.getStart(), text: `${CORS},${indent}` }
}
