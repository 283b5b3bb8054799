import { HttpContext } from '@adonisjs/core/http'
import { type Edge, Template } from 'edge.js'

type Renderer = ReturnType<Edge['createRenderer']>

/**
 * Edge's renderer from the first template on. Middleware shares values with the views of every request, e.g. Shield its
 * nonce, and making a renderer reads the folder of components from disk.
 */
function deferredRenderer(create: () => Renderer): Renderer {
  const shared: Record<string, any>[] = []
  let renderer: Renderer | undefined
  const made = () =>
    (renderer ??= shared.reduce<Renderer>((one, values) => one.share(values), create()))

  return new Proxy({} as Renderer, {
    get(_target, name, proxy) {
      if (name === 'share' && !renderer) {
        return (values: Record<string, any>) => {
          shared.push(values)
          return proxy
        }
      }
      const member = Reflect.get(made(), name)
      return typeof member === 'function' ? member.bind(made()) : member
    },
  })
}

/** A database that is busy while a template asks for the CSRF token is no mistake of the template: Edge's error keeps the cause. */
function keepCauses(): void {
  const { reThrow } = Template.prototype
  Template.prototype.reThrow = function (error, ...where): never {
    try {
      reThrow.call(this, error, ...where)
    } catch (thrown) {
      throw thrown === error ? error : Object.assign(thrown as Error, { cause: error })
    }
    throw error
  }
}

/** Replaces the `ctx.view` of AdonisJS's Edge provider, which makes a renderer at once. */
export function deferViews(edge: Edge): void {
  keepCauses()
  HttpContext.getter(
    'view',
    function (this: HttpContext) {
      const { request } = this
      return deferredRenderer(() => edge.createRenderer().share({ request }))
    },
    true
  )
}

/**
 * What templates of all requests share, once it is complete. V8 keeps an object that grew by one name at a time as a
 * table, whose copy takes 50 times as long, and every page makes one.
 */
export function compactGlobals(edge: Edge): void {
  /* Plugins add theirs when the first renderer is made. */
  edge.createRenderer()
  edge.globals = { ...edge.globals }
}
