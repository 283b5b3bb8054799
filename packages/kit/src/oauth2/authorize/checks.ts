import type { Check } from '#oauth2/authorize/check'
import { checkApproval } from '#oauth2/authorize/check_approval'
import { checkApprover } from '#oauth2/authorize/check_approver'
import { checkClient } from '#oauth2/authorize/check_client'
import { checkFetch } from '#oauth2/authorize/check_fetch'
import { checkGrantType } from '#oauth2/authorize/check_grant_type'
import { checkPkce } from '#oauth2/authorize/check_pkce'
import { checkPresence } from '#oauth2/authorize/check_presence'
import { checkPrompt } from '#oauth2/authorize/check_prompt'
import { checkProvider } from '#oauth2/authorize/check_provider'
import { checkRedirectTarget } from '#oauth2/authorize/check_redirect_target'
import { checkRedirectUri } from '#oauth2/authorize/check_redirect_uri'
import { checkResource } from '#oauth2/authorize/check_resource'
import { checkResponseType } from '#oauth2/authorize/check_response_type'
import { checkScope } from '#oauth2/authorize/check_scope'
import { checkUser } from '#oauth2/authorize/check_user'
import { checkOpenIdParameters } from '#oauth2/openid/checks/check_openid_parameters'
import { checkSignIn, demandSignIn } from '#oauth2/openid/checks/check_sign_in'
import { checkDpopJkt } from '#oauth2/dpop/check_dpop_jkt'
import { checkPushed } from '#oauth2/par/check_pushed'

/** A rule about the request that asks for a code, and not about the one that asks what would be approved. */
const whenAsked =
  (check: Check): Check =>
  (request, services) =>
    request.asksForCode ? check(request, services) : undefined

/** The rules of `/oauth/authorize`, in the order in which a request that breaks several is told. */
export const JSON_CHECKS: Check[] = [
  checkUser,
  checkResponseType,
  checkClient,
  checkPushed,
  checkGrantType,
  checkRedirectUri,
  checkOpenIdParameters,
  checkScope,
  checkApprover,
  checkPkce,
  checkResource,
  demandSignIn,
  checkDpopJkt,
  whenAsked(checkApproval),
  whenAsked(checkProvider),
]

/**
 * The same for a browser, which is told by a redirect: that is safe once the
 * client and its redirect URI are known to be good, and never before
 * (RFC 6749 §4.1.2.1). The approval comes after them.
 */
export const BROWSER_CHECKS: Check[] = [
  checkFetch,
  checkClient,
  checkRedirectUri,
  checkRedirectTarget,
  checkPushed,
  checkOpenIdParameters,
  checkPrompt,
  checkPresence,
  checkResponseType,
  checkGrantType,
  checkScope,
  checkApprover,
  checkPkce,
  checkResource,
  checkDpopJkt,
  checkProvider,
  checkSignIn,
]

/** Those that need no person, for a request that an authenticated client pushes (RFC 9126 §2.1). */
export const PUSH_CHECKS: Check[] = [
  checkResponseType,
  checkGrantType,
  checkRedirectUri,
  checkOpenIdParameters,
  checkPrompt,
  checkScope,
  checkPkce,
  checkResource,
  checkDpopJkt,
]
