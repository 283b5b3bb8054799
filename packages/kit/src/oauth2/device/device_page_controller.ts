import type { HttpContext } from '@adonisjs/core/http'

import { Unauthenticated, UnknownAuthorization } from '#auth/errors'
import { assertFound } from '#http/errors'
import { isForm, keepPrivate, readDecision, redirect, showAgain } from '#oauth2/pages'
import { ServerController } from '#oauth2/authorization_server'
import { recordConnection, signedIn } from '#oauth2/token_owners'
import {
  type DeviceQuestion,
  formatUserCode,
  readUserCode,
} from '#oauth2/device/device_authorizations'
import { Parameters, assertRequest, readJsonObject } from '#oauth2/parameters'
import { pathTo, wantsPage } from '#http/pages'

/** The page on which a person signs a device in (RFC 8628 §3.3). Programs get JSON. */
export default class DevicePageController extends ServerController {
  async show(ctx: HttpContext) {
    this.#enter(ctx)
    const { devices } = this.server
    const parameters = Parameters.fromQuery(ctx.request)
    if (!wantsPage(ctx)) {
      const device = await devices.find(ctx, parameters.require('user_code'))
      const question = await device.choices()
      const contexts = question && { contexts: question.choices }
      return ctx.response.ok({ ...device.describe(), ...contexts })
    }
    await signedIn(ctx, this.server.guard)
    const [typed, outcome] = [parameters.get('user_code'), parameters.get('outcome')]
    const isLinked = ctx.request.header('sec-fetch-site') === 'cross-site'
    if (!isLinked && /^(approved|denied)$/.test(outcome ?? '')) {
      return ctx.view.render('pages/oauth/device_done', { outcome })
    }
    /* Another site could make a person use up their tries by links. */
    if (typed === null || isLinked) {
      return renderForm(ctx, null, typed ?? '')
    }
    try {
      return await renderQuestion(ctx, await devices.find(ctx, typed), typed)
    } catch (error) {
      return this.#refuse(ctx, error, typed)
    }
  }

  async approve(ctx: HttpContext) {
    return this.#decide(ctx, 'approved', async (device, typed) => {
      const decision = readDecision(ctx)
      try {
        await device.approve(decision)
        return await recordConnection(ctx, device.connection)
      } catch (error) {
        return showAgain(ctx, error, decision, renderQuestion.bind(null, ctx, device, typed))
      }
    })
  }

  async deny(ctx: HttpContext) {
    return this.#decide(ctx, 'denied', (device) => device.deny())
  }

  /** @param decide may return a page that stands in the place of the last one */
  async #decide(
    ctx: HttpContext,
    outcome: 'approved' | 'denied',
    decide: (device: DeviceQuestion, typed: string) => Promise<string | void>
  ) {
    this.#enter(ctx)
    const typed = readTyped(ctx)
    try {
      const page = await decide(await this.server.devices.find(ctx, typed), typed)
      return wantsPage(ctx)
        ? (page ?? redirect(ctx, pathTo('device_page.show', [], { qs: { outcome } })))
        : ctx.response.ok({ status: outcome })
    } catch (error) {
      if (!wantsPage(ctx)) {
        throw error
      }
      return error instanceof Unauthenticated
        ? redirect(ctx, pathTo('device_page.show', [], { qs: { user_code: typed } }))
        : this.#refuse(ctx, error, typed)
    }
  }

  #enter(ctx: HttpContext) {
    assertFound(this.server.devices.isEnabled, ctx)
    keepPrivate(ctx)
  }

  /** A code that leads to no request can be typed anew. */
  #refuse(ctx: HttpContext, error: unknown, typed: string) {
    if (!(error instanceof UnknownAuthorization)) {
      throw error
    }
    ctx.response.status(error.status)
    return renderForm(ctx, 'unknown', typed)
  }
}

function renderForm(ctx: HttpContext, problem: 'unknown' | null, typed: string) {
  return ctx.view.render('pages/oauth/device', { problem, typed })
}

async function renderQuestion(
  ctx: HttpContext,
  device: DeviceQuestion,
  typed: string,
  posted: object = {}
) {
  return ctx.view.render('pages/oauth/device_question', {
    device: device.describe(),
    account: device.connection.context.user,
    question: await device.choices(),
    userCode: formatUserCode(readUserCode(typed)!),
    ...posted,
  })
}

function readTyped(ctx: HttpContext): string {
  const { request } = ctx
  const value = (isForm(ctx) ? request.body() : readJsonObject(request)).user_code
  assertRequest(typeof value === 'string' && value !== '', 'The parameter user_code is missing.')
  return value
}
