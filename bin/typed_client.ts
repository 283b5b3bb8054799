import type { AllHooks } from '@adonisjs/assembler/types'
import { generateRegistry } from '@tuyau/core/hooks'

/** What a handler returns as programs receive it: the document in place of a resource of JSON:API. */
export type Answer<Result> = Result extends { __response: infer Body; __status: infer Status }
  ? { __response: Answer<Body>; __status: Status }
  : Result extends { serialize(): Promise<infer Document> }
    ? Document
    : Result

type Init = Extract<AllHooks['init'][number], { run: unknown }>

const registry = generateRegistry() as Init

/** Writes the types of a client by Tuyau into .adonisjs/client. A hook of "node ace codegen" and of the development server. */
const writeTypedClient: Init['run'] = (parent, hooks, indexes) => {
  hooks.add('routesScanning', (_, scanner) => {
    /* The scanner alone would look for JavaScript where this clone has the kit's sources. */
    scanner.pathsResolver.use((specifier) => import.meta.resolve(specifier))
    /* Aliases of the kit are not the application's: #session/validators is #kit/session/validators here. */
    scanner.defineRequest((route, controller) => {
      if (controller.import.specifier.startsWith('adonis-auth-kit/')) {
        route.validators?.forEach(({ import: from }) => {
          from.specifier = from.specifier.replace(/^#/, '#kit/')
        })
      }
      return undefined
    })
    scanner.defineResponse((_route, { import: { specifier }, method }) => {
      const handler = `import('${specifier}').default['${method}']`
      const answer = "import('../../../bin/typed_client.js').Answer"
      return { type: `${answer}<Awaited<ReturnType<${handler}>>>`, imports: [] }
    })
  })
  return registry.run(parent, hooks, indexes)
}

export default writeTypedClient
