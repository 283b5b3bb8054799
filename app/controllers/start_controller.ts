import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { appUrl } from '#config/app'
import { developmentNotes } from '#services/development_notes'
import { documents } from '#services/documentation'
import { newestPosts } from '#services/posts'
import { wantsPage } from 'adonis-auth-kit/http'

/** Posts that the start page shows. */
const SHOWN_POSTS = 3

export default class StartController {
  /** A start page for browsers. Every other caller gets an empty answer. */
  async show(ctx: HttpContext) {
    ctx.response.vary('Accept')
    if (!wantsPage(ctx)) {
      return ctx.response.ok('')
    }
    return ctx.view.render('pages/start', {
      posts: await newestPosts(SHOWN_POSTS),
      // feature: oauth2
      hasOAuth: await hasOAuth(),
      // /feature
      // feature: mcp
      mcpUrls: await mcpUrls(),
      mcpClients: app.inProduction ? null : await mcpClients(),
      // /feature
      documents: documents(),
      notes: app.inDev ? developmentNotes() : [],
    })
  }
}

// feature: oauth2
async function hasOAuth() {
  const auth = await app.container.make('auth_manager')
  return auth.feature('connectedApps') !== undefined
}
// /feature

// feature: mcp
/** The AI clients that connect by the address alone, and those that do not. */
async function mcpClients() {
  if (!app.container.hasBinding('mcp')) {
    return null
  }
  const manager = await app.container.make('mcp')
  return manager.knownClients
}

/** The addresses that AI clients connect to. */
async function mcpUrls(): Promise<string[]> {
  if (!app.container.hasBinding('mcp')) {
    return []
  }
  const manager = await app.container.make('mcp')
  return manager.mounts.map(({ pattern }) => new URL(pattern, appUrl).href)
}
// /feature
