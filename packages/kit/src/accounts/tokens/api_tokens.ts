import app from '@adonisjs/core/services/app'

import { ApiToken } from '#api_token/facade'
import type { TokenKind } from '#accounts/tokens/listed_token'

export const apiTokens: TokenKind = {
  async list(user) {
    if (!(await isOn())) {
      return []
    }
    const tokens = await ApiToken.tokens(user)
    return tokens.map(({ id, name, abilities, createdAt, expiresAt }) => ({
      id,
      kind: 'API token',
      name,
      scopes: abilities,
      createdAt: createdAt.getTime(),
      expiresAt: expiresAt?.getTime() ?? null,
      revoke: async () => void (await ApiToken.revoke(id)),
    }))
  },

  async revokeAll(user) {
    if (await isOn()) {
      await ApiToken.revokeAll(user)
    }
  },
}

async function isOn(): Promise<boolean> {
  const manager = await app.container.make('auth_manager')
  return manager.feature('apiTokens') !== undefined
}
