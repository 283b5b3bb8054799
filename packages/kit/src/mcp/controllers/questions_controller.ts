import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { currentUser } from '#auth/protection'
import { assertFound } from '#http/errors'
import { pathTo } from '#http/pages'
import { fitsForm } from '#mcp/request'
import type { JsonObject } from '#mcp/types'
import { type PageQuestion, type Problem, QUESTION_PAGE, readForm } from '#mcp/tasks/page_questions'

/** The rules whose words name them; of any other the page says that the value does not fit. */
const RULES =
  /^(required|number|integer|minimum|maximum|min(Length|Items)|max(Length|Items)|email|uri|date|date-time)$/

/** The page on which a person answers a tool whose client cannot be asked. */
export default class QuestionsController {
  async show(ctx: HttpContext) {
    const { question } = await find(ctx)
    return render(ctx, question)
  }

  async accept(ctx: HttpContext) {
    const { question } = await find(ctx)
    const typed = ctx.request.body()
    const read = question.forms.map((form) => ({ ...form, ...readForm(form.fields, typed) }))
    const isWhole = read.every(({ schema, content }) => fitsForm(schema, content))
    if (question.isOpen && !isWhole) {
      const problems = Object.assign({}, ...read.map((form) => form.problems))
      ctx.response.status(422)
      return render(ctx, question, { typed, problems, notice: 'refused' })
    }
    const accepted = read.map(({ name, content }) => [name, { action: 'accept', content }])
    return answer(ctx, Object.fromEntries(accepted))
  }

  async decline(ctx: HttpContext) {
    const { question } = await find(ctx)
    const declined = question.forms.map(({ name }) => [name, { action: 'decline' }])
    return answer(ctx, Object.fromEntries(declined))
  }
}

/** @throws {E_ROUTE_NOT_FOUND} unless this person was asked */
async function find(ctx: HttpContext) {
  await currentUser(ctx)
  const person = ctx.authenticator.subject!
  const { tasks } = await app.container.make('mcp')
  const question = await tasks!.questions.find(person, ctx.params.handle)
  assertFound(question !== null, ctx)
  return { question, person, questions: tasks!.questions }
}

/** Keeps the answer. When something else is asked by now, that is shown instead. */
async function answer(ctx: HttpContext, responses: JsonObject) {
  const { person, questions } = await find(ctx)
  const { handle } = ctx.params
  const version = String(ctx.request.input('version'))
  const isKept = await questions.answer(person, handle, version, responses)
  const { question } = await find(ctx)
  if (!isKept && question.isOpen) {
    ctx.response.status(409)
    return render(ctx, question, { notice: 'changed' })
  }
  return ctx.response.redirect().toPath(pathTo(QUESTION_PAGE, [handle]))
}

interface Sent {
  typed?: JsonObject
  problems?: Record<string, Problem>
  notice?: 'refused' | 'changed' | null
}

async function render(ctx: HttpContext, question: PageQuestion, sent: Sent = {}) {
  const { typed, problems = {}, notice = null } = sent
  const forms = question.forms.map(({ message, fields }) => ({
    message,
    fields: fields.map((field) => ({
      ...field,
      value: typed ? typed[field.name] : field.schema.default,
      error: problems[field.name] ? words(ctx, problems[field.name]!) : null,
    })),
  }))
  const manager = await app.container.make('auth_manager')
  const { clientId } = question
  const client = clientId ? await manager.feature('askingClient')?.describe(clientId) : null
  const { handle } = ctx.params
  return ctx.view.render('pages/mcp/question', { ...question, forms, notice, client, handle })
}

function words({ i18n }: HttpContext, { rule, limit }: Problem): string {
  const key = RULES.test(rule) ? rule.replace('-', '_') : 'other'
  return i18n.t(`pages.question.rules.${key}`, { limit })
}
