/** A feature that can be taken out, with what the application owns of it. Lists have spaces or lines between their items. */
export interface Feature {
  title: string
  /** Features that it cannot do without. */
  needs?: string
  /** Patterns of files and folders, beside those that are named like the feature: see `goneWith()`. */
  files?: string
  /** Pattern of its migrations. */
  migrations?: string
  /** Pattern of those that change tables of others, whose columns go by their `down`. */
  additions?: string
  /** The function that makes its guard in config/auth.ts. */
  guard?: string
  /** Patterns of settings in config files that stay, and of environment variables. */
  settings?: string
  env?: string
  /** Patterns of words of `resources/lang`, each with all below. */
  words?: string
  /** Packages that nothing else uses. */
  packages?: string
}

/** What `feature:remove` knows. What a shared file has of a feature stands between `feature: <name>` and `/feature`. */
export const FEATURES: Record<string, Feature> = {
  posts: {
    title: 'posts and comments, the example',
    needs: 'json_api',
    files: `app/controllers/{posts,post_author,post_comments,post_pages}_controller.ts
      app/mcp/{apps/my_posts_card,prompts/summarize_post,resources/{latest_posts,post},servers/blog_server}.ts
      app/mcp/tools/{count_words,create_post,delete_post,my_posts,read_post,search_posts,update_post}.ts
      app/{models/{comment,post},policies/{comment,post}_policy,validators/post}.ts
      app/{resources/{comment,post}_resource,services/{posts,post_service,post_writes}}.ts
      database/{factories/{comment,post}_factory,seeders/post_seeder}.ts
      resources/views/{mcp/my_posts_card.edge,pages/posts}`,
    migrations: '*_{posts_table,comments_table,to_posts_and_comments}.ts',
    settings: 'scopes/posts:*',
    words: `pages/{posts,layout/posts}
      pages/start/{api,api_text,oauth_metadata,newest_posts,no_posts,all_posts}`,
  },
  json_api: {
    title: 'JSON:API',
    files: '.agents/skills/add-resource app/resources docs/first-feature.md',
    words: 'pages/start/documents/json-api',
  },
  mcp: {
    title: 'MCP servers and tools',
    files: '.agents/skills/add-mcp-tool app/mcp resources/views/mcp',
    migrations: '*_mcp_*.ts',
    settings: 'scopes/{account:read,mcp:use} throttle/{mcpCalls,anonymousMcpCalls}',
    env: 'MCP_*',
    words: 'pages/start/{mcp,mcp_text,documents/mcp}',
  },
  openapi: {
    title: 'the description of the HTTP interface (OpenAPI)',
    env: 'OPENAPI_*',
  },
  tracing: {
    title: 'traces (OpenTelemetry)',
    env: 'OTEL_*',
    packages: `@opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/core
      @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace`,
  },
  metrics: {
    title: 'figures for Prometheus',
    env: 'METRICS_*',
    packages: 'prom-client',
  },
  throttle: {
    title: 'limits on attempts',
    files: 'config/limiter.ts',
    migrations: '*_rate_limits_table.ts',
    env: 'LIMITER_*',
    words: 'pages/start/notes/limiter',
    packages: '@adonisjs/limiter',
  },
  passwords: {
    title: 'resets of forgotten passwords',
    needs: 'session',
    files: `app/models/password_reset_token.ts
      resources/views/pages/auth/{forgot,reset}_password.edge`,
    migrations: '*_password_reset_tokens_table.ts',
    settings: `auth/{passwords,default/passwords,passwordResetNotifier,debugExposeResetToken}
      throttle/passwordMails`,
    words: 'pages/{forgot_password,reset_password,login/forgot,account/password/forgot}',
  },
  email_verification: {
    title: 'verified e-mail addresses, and changes of addresses',
    needs: 'session',
    files: 'app/services/addresses.ts',
    migrations: '*_add_email_verification_to_users_table.ts',
    additions: '*_add_email_verification_to_users_table.ts',
    settings: 'throttle/verificationMails',
    words: 'pages/{account/profile/change_email,register/verify_first}',
  },
  two_factor: {
    title: 'the second factor, and recovery codes',
    needs: 'session',
    migrations: '*_two_factor_*_table.ts',
    settings: 'throttle/failedSecondFactors',
  },
  passkeys: {
    title: 'sign-in and confirmation with passkeys',
    needs: 'session',
    files: 'public/passkeys.js',
    migrations: '*_{passkeys,passkey_used_challenges}_table.ts',
  },
  mail_code: {
    title: 'codes by mail',
    needs: 'session',
    migrations: '*_mail_codes_table.ts',
    env: 'MAIL_CODE_*',
  },
  social: {
    title: 'sign-in through Google, GitHub and others',
    needs: 'session email_verification',
    files: `app/controllers/{account/sign_in_methods,social_login}_controller.ts
      app/{services/social_accounts,validators/social}.ts`,
    migrations: '*_{organisation_providers,social_identities,social_used_states}_table.ts',
    env: '{GOOGLE,MICROSOFT,APPLE,GITHUB,GITLAB,OIDC}_*',
  },
  security_log: {
    title: 'the page of security events',
    needs: 'session',
    migrations: '*_security_events_table.ts',
  },
  workspaces: {
    title: 'workspaces of teams',
    needs: 'session',
    migrations: '*_{create_workspace*,add_workspace_id_to_posts_and_comments}.ts',
    additions: '*_add_workspace_id_to_posts_and_comments.ts',
    settings: 'throttle/workspaces',
    env: 'WORKSPACES_*',
  },
  api_token: {
    title: 'API tokens with their guard and pages, and SPA mode',
    files: 'app/mcp/tools/my_api_tokens.ts app/models/personal_api_token.ts docs/api-tokens.md',
    migrations: '*_personal_api_tokens_table.ts',
    guard: 'apiTokenGuard',
    env: 'API_TOKEN_STORE',
    words: 'pages/start/{first_step,documents/api-tokens}',
  },
  oauth2: {
    title: 'the OAuth 2.1 server with its guard, OpenID Connect and consent pages',
    needs: 'session',
    files: `app/mcp/{servers/account_server,tools/{my_{api_tokens,connected_apps,sessions},who_am_i}}.ts
      app/models/oauth_*.ts app/services/openid_claims.ts docs/{oauth*,openid}.md
      resources/views/components/oauth`,
    migrations: '*_oauth_*.ts',
    guard: 'oauth2Guard',
    settings: `scopes/{account:read,mcp:use}
      throttle/{failedClientAuthentications,clientRegistrations,clientDocuments}
      throttle/{pushedRequests,deviceAuthorizations,deviceUserCodes}`,
    env: 'OAUTH_*',
    words: 'pages/start/{oauth_metadata,notes/issuer,documents/oauth}',
  },
  session: {
    title: 'sessions with their guard, and accounts in a browser',
    files: `app/controllers/{account,{new_account,session}_controller.ts}
      app/{mcp/tools/my_sessions,models/session}.ts
      docs/sessions-and-spa.md start/api_token.ts tests/functional/api_token
      resources/views/components/account_layout.edge
      resources/views/pages/{account,auth}`,
    migrations: '*_{create_sessions,to_sessions,used_once}_table.ts',
    guard: 'sessionGuard',
    settings: 'throttle/{failedLogins,registrations}',
    env: 'SESSION_STORE',
    words: `pages/{account,login,register,start/{hello,signed_in,your_account,first_step}}
      pages/{layout/{account,sign_out,sign_in,register,account_pages},start/notes/insecure_cookie}`,
  },
}
