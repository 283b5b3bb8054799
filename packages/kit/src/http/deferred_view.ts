import { HttpContext } from '@adonisjs/core/http'
import { type Edge, Template } from 'edge.js'

type Renderer = ReturnType<Edge['createRenderer']>

/**
 * Stands in for Edge's renderer until a template is rendered. Middleware shares
 * values with the views of every request, Shield its nonce for example, and
 * making a renderer reads the folder of components from disk.
 */
export class DeferredRenderer implements Omit<Renderer, 'share'> {
  readonly #create: () => Renderer
  #renderer: Renderer | null = null
  #shared: Record<string, any>[] = []

  constructor(create: () => Renderer) {
    this.#create = create
  }

  share(values: Record<string, any>): this {
    if (this.#renderer) {
      this.#renderer.share(values)
    } else {
      this.#shared.push(values)
    }
    return this
  }

  clone(): Renderer {
    return this.#made().clone()
  }

  getState(): Record<string, any> {
    return this.#made().getState()
  }

  render(...parameters: Parameters<Renderer['render']>) {
    return this.#made().render(...parameters)
  }

  renderSync(...parameters: Parameters<Renderer['renderSync']>) {
    return this.#made().renderSync(...parameters)
  }

  renderRaw(...parameters: Parameters<Renderer['renderRaw']>) {
    return this.#made().renderRaw(...parameters)
  }

  renderRawSync(...parameters: Parameters<Renderer['renderRawSync']>) {
    return this.#made().renderRawSync(...parameters)
  }

  #made(): Renderer {
    if (!this.#renderer) {
      this.#renderer = this.#create()
      this.#shared.forEach((values) => this.#renderer!.share(values))
      this.#shared = []
    }
    return this.#renderer
  }
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
      return new DeferredRenderer(() => edge.createRenderer().share({ request })) as any
    },
    true
  )
}
