/* What a contestant has to refuse, or its figures compare with nothing. */

import { fill, send } from './http.js'

const BAD_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.e30.x'

/** @returns for each rule that the contestant has a route for, whether it keeps it */
export async function refusals(contestant, person, obtainTokens) {
  const { base, requests, revoke, mint } = contestant
  const answer = (request, values) => send(base, fill(request, values))
  const results = []
  const check = async (what, response) =>
    results.push({ what, isRefused: (await response).status >= 400 })

  const bad = { ...person, access_token: BAD_TOKEN, api_token: BAD_TOKEN, cookie: 'a=b' }
  for (const name of ['W4', 'W5', 'W6']) {
    if (requests[name]) {
      await check(`a bad token (${name})`, answer(requests[name], bad))
    }
  }

  if (requests.W3) {
    const { status, body } = await answer(requests.W3, bad)
    const isRefused = status >= 400 || body.includes('"active":false')
    results.push({ what: 'a bad token (W3)', isRefused })
  }

  if (mint) {
    const code = await mint(base, person)
    const wrong = { ...person, code, verifier: 'x'.repeat(43) }
    await check('a wrong PKCE verifier', answer(requests.W2c, wrong))
    const again = await mint(base, person)
    await answer(requests.W2c, { ...person, code: again })
    const used = { ...person, code: again }
    await check('a used code', answer(requests.W2c, used))

    await obtainTokens(contestant, person)
    await answer(requests.W2r, person)
    await check('a rotated refresh token', answer(requests.W2r, person))
    await obtainTokens(contestant, person)
  }

  if (revoke) {
    await answer(revoke, person)
    await check('a revoked token', answer(requests.W4 ?? requests.W5, person))
  }
  return results
}
