import type User from '#models/user'
import { apiTokens } from '#services/tokens/api_tokens'
import type { ListedToken } from '#services/tokens/listed_token'
import { oauthTokens } from '#services/tokens/oauth_tokens'

const KINDS = [apiTokens, oauthTokens]

/** Every token of a person that works. */
export async function listTokens(user: User): Promise<ListedToken[]> {
  const lists = await Promise.all(KINDS.map((kind) => kind.list(user)))
  return lists.flat()
}

/** Revokes every token of a person. */
export async function revokeTokens(user: User): Promise<void> {
  for (const kind of KINDS) {
    await kind.revokeAll(user)
  }
}
