import type { Target } from '#export/target'

/** What no tool should do for a person, because it is a decision of the application. */
export function remaining(target: Target): void {
  const { workspace, byHand } = target
  const code = [...workspace.paths].filter((path) => /^app\/.*\.ts$/.test(path))
  if (!code.some((path) => workspace.read(path).includes('.toIntended'))) {
    byHand.push({
      path: 'the controller that signs people in',
      task: 'After the login, go back to the page that asked for it: an approval that began without a session goes on there',
      lines: `return response.redirect().toIntended('/')`,
    })
  }
  const config = workspace.paths.has('config/auth.ts') ? workspace.read('config/auth.ts') : ''
  if (!/\bweb:/.test(config) || !config.includes('sessionGuard')) {
    byHand.push({
      path: 'config/auth_server.ts',
      task: 'Name the session guard of config/auth.ts whose users approve clients, and their sign-in page',
      lines: `web: adonisAuthGuard({ provider: 'users', sessionGuard: 'web', loginPage: '/login' }),`,
    })
  }
  if (!workspace.read('adonisrc.ts').includes('edge_provider')) {
    byHand.push({
      path: 'config/oauth2.ts',
      task: 'Name a consent page of your own (docs/oauth.md), or add @adonisjs/core/providers/edge_provider: nothing renders the one that is written',
      lines: `consentPage: '/consent',`,
    })
  }
}
