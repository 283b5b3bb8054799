import { SignJWT, importPKCS8 } from 'jose'
import type { ClientAuth } from 'openid-client'

import { GitHubProvider, type GitHubSettings } from '#social/providers/github'
import { OpenIdProvider, type OpenIdSettings } from '#social/providers/open_id'
import type { IdentityProvider } from '#social/providers/provider'

/** A secret of the environment (`Env.schema.secret`), or a text. */
type SecretText = string | { release(): string } | undefined

/** Makes a provider under the name that it has in the settings; null when its variables are not set. */
export type ProviderFactory = ((name: string) => IdentityProvider) | null

type Overrides = Partial<Omit<OpenIdSettings, 'clientId' | 'clientSecret'>>

type Client = { clientId: string | undefined; clientSecret?: SecretText }

/** A provider of OpenID Connect. It is there when it has an issuer and a client id. */
export function openIdConnect({
  clientId,
  clientSecret,
  issuer,
  ...settings
}: Client & { issuer: string | undefined; label: string } & Overrides): ProviderFactory {
  const secret = released(clientSecret)
  return clientId && issuer
    ? (name) => new OpenIdProvider(name, { ...settings, issuer, clientId, clientSecret: secret })
    : null
}

/** Google knows who owns an address of Gmail or of its organisations (claim `hd`); of others, who owned them once. */
export function google(settings: Client & Overrides): ProviderFactory {
  return openIdConnect({
    label: 'Google',
    issuer: 'https://accounts.google.com',
    trustedFor: (email, { hd }) =>
      /@(gmail|googlemail)\.com$/.test(email) ||
      (typeof hd === 'string' && email.endsWith(`@${hd.toLowerCase()}`)),
    /* It knows no `max_age`. */
    reauthentication: { prompt: 'select_account' },
    ...settings,
  })
}

/**
 * Trusted for no address: an administrator of any organisation can write any address into an account there.
 * @param settings.tenant an organisation alone; `common` for all, and private accounts
 */
export function microsoft({
  tenant = 'common',
  ...settings
}: Client & Overrides & { tenant?: string }): ProviderFactory {
  return openIdConnect({
    label: 'Microsoft',
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    reauthentication: { prompt: 'login' },
    ...settings,
  })
}

/** GitLab, or an instance of one's own: `issuer`. It verifies addresses by mail. */
export function gitlab(settings: Client & Overrides): ProviderFactory {
  return openIdConnect({
    label: 'GitLab',
    trustedFor: ['*'],
    ...settings,
    issuer: settings.issuer ?? 'https://gitlab.com',
  })
}

/** Apple. Its client secret is a short-lived token that a key of the team signs. It answers with a form. */
export function apple({
  teamId,
  keyId,
  privateKey,
  ...settings
}: Client &
  Overrides & {
    teamId: string | undefined
    keyId: string | undefined
    privateKey: SecretText
  }): ProviderFactory {
  const key = released(privateKey)
  return teamId && keyId && key
    ? openIdConnect({
        label: 'Apple',
        issuer: 'https://appleid.apple.com',
        scope: 'openid email',
        trustedFor: ['*'],
        parameters: { response_mode: 'form_post' },
        reauthentication: {},
        authentication: appleSecret(teamId, keyId, key),
        ...settings,
      })
    : null
}

/** GitHub: the verified primary address from its API. */
export function github({
  clientId,
  clientSecret,
  ...settings
}: Client & Partial<Omit<GitHubSettings, keyof Client>>): ProviderFactory {
  const secret = released(clientSecret)
  return clientId && secret
    ? (name) =>
        new GitHubProvider(name, {
          label: 'GitHub',
          trustedFor: ['*'],
          reauthentication: { prompt: 'select_account' },
          ...settings,
          clientId,
          clientSecret: secret,
        })
    : null
}

function appleSecret(teamId: string, keyId: string, pem: string): ClientAuth {
  const authenticate = async (...[, { client_id: clientId }, body]: Parameters<ClientAuth>) => {
    const key = await importPKCS8(pem.replaceAll('\\n', '\n'), 'ES256')
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key)
    body.set('client_id', clientId)
    body.set('client_secret', secret)
  }
  /* The type says nothing of promises, but openid-client awaits them: its own private_key_jwt is one. */
  return authenticate as ClientAuth
}

const released = (secret: SecretText): string | undefined =>
  typeof secret === 'object' ? secret.release() : secret || undefined
