import ts from 'typescript'

import { editNode, valueOf, withImport } from '#export/edits/lists'
import type { Target } from '#export/target'

const SHIELD = 'config/shield.ts'
const CORS = 'config/cors.ts'
const HANDLER = 'app/exceptions/handler.ts'

const MARKS = `import { csrfExempt, isMarked } from '#support/route_marks'`
const OWN_CORS = `import { hasOwnCors } from '#support/cors'`
const PROTOCOL = `import { toOAuthProtocolError } from '#oauth2/protocol_error'`

const EXEMPT = '(ctx) => isMarked(ctx.route, csrfExempt)'
const NOT_OWN = '(ctx) => !hasOwnCors(ctx)'
const HANDLE = 'super.handle(toOAuthProtocolError(error, ctx) ?? error, ctx)'

/** Endpoints that clients call with their own credentials need no CSRF token, and decide on CORS by themselves. */
export function editSecurity(target: Target): void {
  target.edit(SHIELD, (text) => replaced(SHIELD, text, 'exceptRoutes', '[]', EXEMPT, MARKS), {
    task: 'Leave the endpoints of clients out of the CSRF check, with the routes that you have there',
    lines: `${MARKS}\n\nexceptRoutes: ${EXEMPT},`,
  })
  if (target.workspace.paths.has(CORS)) {
    target.edit(CORS, (text) => replaced(CORS, text, 'enabled', 'true', NOT_OWN, OWN_CORS), {
      task: 'Leave out the routes that decide on CORS by themselves',
      lines: `${OWN_CORS}\n\nenabled: ${NOT_OWN},`,
    })
  }
}

/** Failures of the endpoints of OAuth are answered as RFC 6749 says. */
export function editHandler(target: Target): void {
  target.edit(HANDLER, handling, {
    task: 'Let failures at the endpoints of OAuth be answered as clients know them, in "handle"',
    lines: `${PROTOCOL}\n\nreturn ${HANDLE}`,
  })
}

/** A property with another value, when it has the one that is expected. */
function replaced(
  path: string,
  text: string,
  property: string,
  from: string,
  to: string,
  importLine: string
): string | null {
  if (text.includes(to)) {
    return text
  }
  const result = editNode(path, text, (node) => {
    const value = valueOf(node, property)
    return value?.getText() === from && isOutermost(node)
      ? { start: value.getStart(), end: value.getEnd(), text: to }
      : undefined
  })
  return result === null ? null : withImport(path, result, importLine)
}

/** Whether a setting is one of the config itself, or of `csrf`: `enabled` is the name of many. */
function isOutermost(node: ts.Node): boolean {
  const owner = node.parent.parent
  return ts.isCallExpression(owner) || valueOf(owner, 'csrf') !== undefined
}

function handling(text: string): string | null {
  if (text.includes(HANDLE)) {
    return text
  }
  const call = 'super.handle(error, ctx)'
  return text.split(call).length === 2
    ? withImport(HANDLER, text.replace(call, HANDLE), PROTOCOL)
    : null
}
