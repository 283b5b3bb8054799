import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { NextFn } from '@adonisjs/core/types/http'

type Middleware = { handle(ctx: HttpContext, next: NextFn): unknown }

type LazyMiddleware = () => Promise<{ default: new (...dependencies: any[]) => Middleware }>

/**
 * One middleware of several for every request. AdonisJS makes each anew per request: the twelve of `start/kernel.ts` would
 * take 25 µs, where `GET /health/live` takes 40 in all. These are made once, so they keep nothing of a request.
 *
 * Only AdonisJS turns an error into a response before the middleware outside of it go on: one that does something after
 * `next()` is the last of its group, unless those behind it never throw.
 */
export function together(...group: LazyMiddleware[]): LazyMiddleware {
  return async () => {
    const made = await Array.fromAsync(group, async (load) => {
      const { default: Class } = await load()
      return app.container.make(Class) as Promise<Middleware>
    })
    class Group implements Middleware {
      handle(ctx: HttpContext, next: NextFn) {
        return run(made, 0, ctx, next)
      }
    }
    /* During development AdonisJS asks for each request, because a middleware may have been edited. */
    app.inDev || app.container.bindValue(Group, new Group())
    return { default: Group }
  }
}

function run(group: readonly Middleware[], index: number, ctx: HttpContext, next: NextFn): unknown {
  return index === group.length
    ? next()
    : group[index]!.handle(ctx, () => run(group, index + 1, ctx, next) as ReturnType<NextFn>)
}
