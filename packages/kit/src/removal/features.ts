/** A feature that can be taken out, with what the application owns of it. Lists have spaces or lines between their items. */
export interface Feature {
  title: string
  /** Features that it cannot do without. */
  needs?: string
  /** Patterns of files and folders, beside those that are named like the feature: see `goneWith()`. */
  files?: string
  /** Patterns of its migrations. Those with "*_add_" change tables of others, whose columns go by their `down`. */
  migrations?: string
  /** Patterns of settings in config files that stay, words in `resources/lang`, and variables (`env`): the file, then the key. */
  keys?: string
  /** Packages that nothing else uses. */
  packages?: string
}

/** What `feature:remove` knows. What a shared file has of a feature stands between `feature: <name>` and `/feature`. */
export const FEATURES: Record<string, Feature> = {
  posts: {
    title: 'posts and comments, the example',
    needs: 'json_api',
    files: `app/controllers/post{s,_author,_comments,_pages}_controller.ts
      app/mcp/{apps/my_posts_card,prompts/summarize_post,resources/{latest_posts,post},servers/blog_server}.ts
      app/mcp/tools/{count_words,create_post,delete_post,my_posts,read_post,search_posts,update_post}.ts
      {app,database}/*/{comment,post}{,_policy,_resource,_factory,_seeder}.ts
      app/services/post{s,_writes}.ts
      resources/views/{mcp/my_posts_card.edge,pages/posts}`,
    migrations: '*_{posts_table,comments_table,to_posts_and_comments}.ts',
    keys: `scopes/posts:* pages/{posts,permissions/posts:*,layout/posts}
      pages/start/{api,api_text,oauth_metadata,newest_posts,no_posts,all_posts}`,
  },
  json_api: {
    title: 'JSON:API',
    files: '.agents/skills/add-resource app/resources docs/first-feature.md',
    keys: 'pages/start/documents/json-api',
  },
  mcp: {
    title: 'MCP servers and tools',
    files: '.agents/skills/add-mcp-tool app/mcp resources/views/mcp',
    migrations: '*_mcp_*.ts',
    keys: `{scopes,pages/permissions}/{account:read,mcp:use} throttle/{mcpCalls,anonymousMcpCalls} env/MCP_*
      pages/start/{mcp,mcp_text,documents/mcp}`,
  },
  openapi: {
    title: 'the description of the HTTP interface (OpenAPI)',
    keys: 'env/OPENAPI_*',
  },
  tracing: {
    title: 'traces (OpenTelemetry)',
    keys: 'env/OTEL_*',
    packages: `@opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/core
      @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace`,
  },
  metrics: {
    title: 'figures for Prometheus',
    keys: 'env/METRICS_*',
    packages: 'prom-client',
  },
  throttle: {
    title: 'limits on attempts',
    files: 'config/limiter.ts',
    migrations: '*_rate_limits_table.ts',
    keys: 'env/LIMITER_* pages/start/notes/limiter',
    packages: '@adonisjs/limiter',
  },
  passwords: {
    title: 'resets of forgotten passwords',
    needs: 'session',
    files: `app/models/password_reset_token.ts
      resources/views/pages/auth/{forgot,reset}_password.edge`,
    migrations: '*_password_reset_tokens_table.ts',
    keys: `auth/{passwords,default/passwords,passwordResetNotifier,debugExposeResetToken}
      pages/{forgot_password,reset_password,login/forgot,account/password/forgot} throttle/passwordMails`,
  },
  email_verification: {
    title: 'verified e-mail addresses, and changes of addresses',
    needs: 'session',
    files: 'app/services/addresses.ts',
    migrations: '*_add_email_verification_to_users_table.ts',
    keys: 'pages/{account/profile/change_email,register/verify_first} throttle/verificationMails',
  },
  two_factor: {
    title: 'the second factor, and recovery codes',
    needs: 'session',
    migrations: '*_two_factor_*_table.ts',
    keys: 'throttle/failedSecondFactors',
  },
  passkeys: {
    title: 'sign-in and confirmation with passkeys',
    needs: 'session',
    files: 'public/passkeys.js',
    migrations: '*_passkeys_table.ts',
  },
  mail_code: {
    title: 'codes by mail',
    needs: 'session',
    migrations: '*_mail_codes_table.ts',
    keys: 'env/MAIL_CODE_*',
  },
  social: {
    title: 'sign-in through Google, GitHub and others',
    needs: 'session email_verification',
    files: `app/controllers/{account/sign_in_methods,social_login}_controller.ts
      app/{services/social_accounts,validators/social}.ts`,
    migrations: '*_{organisation_providers,social_identities}_table.ts',
    keys: 'env/{GOOGLE,MICROSOFT,APPLE,GITHUB,GITLAB,OIDC}_*',
  },
  security_log: {
    title: 'the page of security events',
    needs: 'session',
    migrations: '*_security_events_table.ts',
  },
  workspaces: {
    title: 'workspaces of teams',
    needs: 'session',
    migrations: '*_create_workspace*.ts *_add_workspace_id_to_posts_and_comments.ts',
    keys: 'throttle/workspaces env/WORKSPACES_*',
  },
  api_token: {
    title: 'API tokens with their guard and pages, and SPA mode',
    files: 'app/mcp/tools/my_api_tokens.ts app/models/personal_api_token.ts docs/api-tokens.md',
    migrations: '*_personal_api_tokens_table.ts',
    keys: 'env/API_TOKEN_STORE pages/start/{first_step,documents/api-tokens}',
  },
  oauth2: {
    title: 'the OAuth 2.1 server with its guard, OpenID Connect and consent pages',
    needs: 'session',
    files: `app/mcp/{servers/account_server,tools/{my_{api_tokens,connected_apps,sessions},who_am_i}}.ts
      app/models/oauth_*.ts app/services/openid_claims.ts docs/{oauth*,openid}.md
      resources/views/components/oauth`,
    migrations: '*_oauth_*.ts',
    keys: `{scopes,pages/permissions}/{account:read,mcp:use}
      throttle/failedClientAuthentications throttle/client*
      throttle/{pushedRequests,deviceAuthorizations,deviceUserCodes} env/OAUTH_*
      pages/start/{oauth_metadata,notes/issuer,documents/oauth}`,
  },
  session: {
    title: 'sessions with their guard, and accounts in a browser',
    files: `app/controllers/{account,{new_account,session}_controller.ts}
      app/{mcp/tools/my_sessions,models/session}.ts
      docs/sessions-and-spa.md start/api_token.ts tests/functional/api_token
      resources/views/{components/account_layout.edge,pages/{account,auth}}`,
    migrations: '*_{create_sessions,to_sessions,used_once}_table.ts',
    keys: `env/SESSION_STORE throttle/{failedLogins,registrations}
      pages/{account,login,register,start/{hello,signed_in,your_account,first_step}}
      pages/{layout/{account,sign_out,sign_in,register,account_pages},start/notes/insecure_cookie}`,
  },
}
