/** A feature that can be taken out, with what the application owns of it. Lists have spaces or lines between their items. */
export interface Feature {
  /** Features that it cannot do without. */
  needs?: string
  /** Patterns of files and folders, beside those that are named like the feature or published with it: see `filesOf()`. A migration with "*_add_" changes tables of others: its columns go by its `down`. */
  files?: string
  /** Patterns of settings in config files that stay, words in `resources/lang` and variables (`env`): the file, then the key. */
  keys?: string
  /** Packages that nothing else uses. */
  packages?: string
}

/** What `feature:remove` knows. What a shared file has of a feature stands between `feature: <name>` and `/feature`. */
export const FEATURES: Record<string, Feature> = {
  posts: {
    needs: 'json_api',
    files: `app/controllers/post{s,_author,_comments,_pages}_controller.ts
      app/mcp/{apps/my_posts_card,prompts/summarize_post,resources/{latest_posts,post},servers/blog_server}.ts
      app/mcp/tools/{count_words,create_post,delete_post,my_posts,read_post,search_posts,update_post}.ts
      {app,database}/*/{comment,post}{,_policy,_resource,_factory,_seeder}.ts
      app/services/post{s,_writes}.ts resources/views/{mcp/my_posts_card.edge,pages/posts}
      database/migrations/*_{posts_table,comments_table,to_posts_and_comments}.ts`,
  },
  json_api: { files: '.agents/skills/add-resource app/resources docs/first-feature.md' },
  mcp: {
    files: '.agents/skills/add-mcp-tool app/mcp resources/views/mcp start/mcp_questions.ts',
    keys: '{scopes,pages}/**/account:read throttle/{mcpCalls,anonymousMcpCalls} env/MCP_*',
  },
  openapi: { keys: 'env/OPENAPI_*' },
  tracing: {
    keys: 'env/OTEL_*',
    packages: `@opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/core
      @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace`,
  },
  metrics: { keys: 'env/METRICS_*', packages: 'prom-client' },
  throttle: {
    files: 'config/limiter.ts database/migrations/*_rate_limits_table.ts',
    keys: '{env,compose}/**/LIMITER_* adonisrc/**/limiter_provider pages/start/notes/limiter',
    packages: '@adonisjs/limiter',
  },
  passwords: {
    needs: 'session',
    files: `app/models/password_reset_token.ts database/migrations/*_password_reset_tokens_table.ts
      resources/views/pages/auth/{forgot,reset}_password.edge`,
    keys: `auth/**/{passwords,passwordResetNotifier,debugExposeResetToken,RESET_LINK_EXPIRE}
      pages/{forgot_password,reset_password,login/forgot,account/password/forgot} throttle/passwordMails`,
  },
  email_verification: {
    needs: 'session',
    files: 'app/services/addresses.ts database/migrations/*_add_email_verification_to_*.ts',
    keys: 'pages/{account/profile/change_email,register/verify_first} throttle/verificationMails',
  },
  two_factor: { needs: 'session', keys: 'throttle/failedSecondFactors' },
  passkeys: { needs: 'session', files: 'public/passkeys.js' },
  mail_code: { needs: 'session', keys: 'env/MAIL_CODE_*' },
  social: {
    needs: 'session email_verification',
    files:
      'app/{controllers/{account/sign_in_methods,social_login}_controller,validators/social}.ts',
    keys: 'env/{GOOGLE,MICROSOFT,APPLE,GITHUB,GITLAB,OIDC}_*',
  },
  security_log: { needs: 'session' },
  workspaces: {
    needs: 'session',
    files: 'database/migrations/*_add_workspace_id_to_posts_and_comments.ts',
    keys: 'throttle/workspaces env/WORKSPACES_*',
  },
  api_token: {
    files: 'app/mcp/tools/my_api_tokens.ts docs/api-tokens.md',
    keys: 'pages/start/{first_step,documents/api-tokens} env/API_TOKEN_*',
  },
  oauth2: {
    needs: 'session',
    files: `app/mcp/{servers/account_server,tools/{my_{api_tokens,connected_apps,sessions},who_am_i}}.ts
      docs/{oauth,openid}*.md resources/views/components/oauth`,
    keys: `{scopes,pages}/**/{account:read,mcp:use} throttle/{failedClientAuthentications,client*}
      throttle/{pushedRequests,deviceAuthorizations,deviceUserCodes}
      pages/{posts/oauth_metadata,start/notes/issuer,start/documents/oauth} env/OAUTH_*`,
  },
  session: {
    files: `app/controllers/{account,{new_account,session}_controller.ts} app/mcp/tools/my_sessions.ts
      docs/sessions-and-spa.md start/{api_token,mcp_questions}.ts tests/functional/api_token
      resources/views/{components/account_layout.edge,pages/{account,auth}}`,
    keys: `throttle/{failedLogins,registrations} env/SESSION_STORE
      pages/{account,login,register,start/{hello,signed_in,your_account,first_step,notes/insecure_cookie}}
      pages/layout/{account,account_pages,groups,language,sign_out,sign_in,register}`,
  },
}
