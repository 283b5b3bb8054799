import type { UserOf } from '#auth/authenticators'
import { apiTokens } from '#accounts/tokens/api_tokens'
import type { ListedToken } from '#accounts/tokens/listed_token'
import { oauthTokens } from '#accounts/tokens/oauth_tokens'

const KINDS = [apiTokens, oauthTokens]

/** Every token of a person that works. */
export async function listTokens(user: UserOf): Promise<ListedToken[]> {
  const lists = await Promise.all(KINDS.map((kind) => kind.list(user)))
  return lists.flat()
}

/** Revokes every token of a person. */
export async function revokeTokens(user: UserOf): Promise<void> {
  for (const kind of KINDS) {
    await kind.revokeAll(user)
  }
}
