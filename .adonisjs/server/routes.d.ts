import '@adonisjs/core/types/http'

type ParamValue = string | number | bigint | boolean

export type ScannedRoutes = {
  ALL: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'keys.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'authorize.store': { paramsTuple?: []; params?: {} }
    'pending_authorizations.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'pending_authorizations.approve': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'pending_authorizations.deny': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'pending_authorizations.switch': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
    'registration.store': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
    'device_authorization.store': { paramsTuple?: []; params?: {} }
    'device_page.show': { paramsTuple?: []; params?: {} }
    'device_page.approve': { paramsTuple?: []; params?: {} }
    'device_page.deny': { paramsTuple?: []; params?: {} }
    'par.store': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'user_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'user_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.store': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'password.email': { paramsTuple?: []; params?: {} }
    'password.update': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'email.notice': { paramsTuple?: []; params?: {} }
    'email.resend': { paramsTuple?: []; params?: {} }
    'email.link': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'email.follow': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'login.code.show': { paramsTuple?: []; params?: {} }
    'login.code': { paramsTuple?: []; params?: {} }
    'login.code.verify': { paramsTuple?: []; params?: {} }
    'confirm.code.show': { paramsTuple?: []; params?: {} }
    'confirm.code': { paramsTuple?: []; params?: {} }
    'confirm.code.verify': { paramsTuple?: []; params?: {} }
    'back_channel_logout': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'openapi.show': { paramsTuple?: []; params?: {} }
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'health.ready': { paramsTuple?: []; params?: {} }
    'health.live': { paramsTuple?: []; params?: {} }
    'documentation.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'site.icon': { paramsTuple?: []; params?: {} }
    'site.manifest': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'language.store': { paramsTuple?: []; params?: {} }
    'mail_preview.index': { paramsTuple?: []; params?: {} }
    'mail_preview.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'confirmation.create': { paramsTuple?: []; params?: {} }
    'confirmation.store': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.profile.update': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.password.update': { paramsTuple?: []; params?: {} }
    'account.access.index': { paramsTuple?: []; params?: {} }
    'account.access.end': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.deletion.destroy': { paramsTuple?: []; params?: {} }
    'account.sessions.sessions.index': { paramsTuple?: []; params?: {} }
    'account.sessions.others': { paramsTuple?: []; params?: {} }
    'account.sessions.end_others': { paramsTuple?: []; params?: {} }
    'account.sessions.one': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.sessions.end_one': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'two_factor_login.create': { paramsTuple?: []; params?: {} }
    'two_factor_login.store': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.show': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.store': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.edit': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.enable': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.codes': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.renew': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.destroy': { paramsTuple?: []; params?: {} }
    'passkey_login.options': { paramsTuple?: []; params?: {} }
    'passkey_login.store': { paramsTuple?: []; params?: {} }
    'confirm.passkey.passkey_confirmation.options': { paramsTuple?: []; params?: {} }
    'confirm.passkey.passkey_confirmation.store': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.index': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.store': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.options': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.passkeys.remove': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.passkeys.passkeys.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'social.social_login.address': { paramsTuple?: []; params?: {} }
    'social.social_login.store': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'social.social_login.callback': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'social.social_login.callback_form': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'confirm.social': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.sign_in_methods.index': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.sign_in_methods.confirm_join': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.sign_in_methods.join': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.link': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.remove': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.sign_in_methods.sign_in_methods.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'security.index': { paramsTuple?: []; params?: {} }
    'account.email.email.edit': { paramsTuple?: []; params?: {} }
    'account.email.email.update': { paramsTuple?: []; params?: {} }
    'account.email.email.cancel': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'account.tokens.store': { paramsTuple?: []; params?: {} }
    'account.tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'tokens.store': { paramsTuple?: []; params?: {} }
    'tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.access_tokens.access_tokens.index': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.store': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'account.connected_apps': { paramsTuple?: []; params?: {} }
    'account.connected_apps.end': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.connected_apps.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'connected_apps.index': { paramsTuple?: []; params?: {} }
    'connected_apps.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'mcp.questions.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'mcp.questions.accept': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'mcp.questions.decline': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'workspaces.index': { paramsTuple?: []; params?: {} }
    'workspaces.store': { paramsTuple?: []; params?: {} }
    'workspaces.switch': { paramsTuple?: []; params?: {} }
    'workspaces.restore': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'invitations.show': { paramsTuple: [ParamValue]; params: {'token': ParamValue} }
    'invitations.accept': { paramsTuple: [ParamValue]; params: {'token': ParamValue} }
    'workspace.workspaces.show': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.update': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.log': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.leave': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.transfer': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.destroy': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.members.update': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.members.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.invitations.store': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.invitations.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.index': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.providers.providers.store': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.providers.providers.verify': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.enforce': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'operations': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.store': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  GET: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'keys.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'pending_authorizations.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'device_page.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'email.notice': { paramsTuple?: []; params?: {} }
    'email.link': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'login.code.show': { paramsTuple?: []; params?: {} }
    'confirm.code.show': { paramsTuple?: []; params?: {} }
    'openapi.show': { paramsTuple?: []; params?: {} }
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'health.ready': { paramsTuple?: []; params?: {} }
    'health.live': { paramsTuple?: []; params?: {} }
    'documentation.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'site.icon': { paramsTuple?: []; params?: {} }
    'site.manifest': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'mail_preview.index': { paramsTuple?: []; params?: {} }
    'mail_preview.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'confirmation.create': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.access.index': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.sessions.sessions.index': { paramsTuple?: []; params?: {} }
    'two_factor_login.create': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.show': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.edit': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.codes': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.index': { paramsTuple?: []; params?: {} }
    'social.social_login.address': { paramsTuple?: []; params?: {} }
    'social.social_login.callback': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.sign_in_methods.index': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.sign_in_methods.confirm_join': { paramsTuple?: []; params?: {} }
    'security.index': { paramsTuple?: []; params?: {} }
    'account.email.email.edit': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.index': { paramsTuple?: []; params?: {} }
    'account.connected_apps': { paramsTuple?: []; params?: {} }
    'connected_apps.index': { paramsTuple?: []; params?: {} }
    'mcp.questions.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'workspaces.index': { paramsTuple?: []; params?: {} }
    'invitations.show': { paramsTuple: [ParamValue]; params: {'token': ParamValue} }
    'workspace.workspaces.show': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.log': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.providers.providers.index': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  HEAD: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'keys.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'pending_authorizations.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'device_page.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'email.notice': { paramsTuple?: []; params?: {} }
    'email.link': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'login.code.show': { paramsTuple?: []; params?: {} }
    'confirm.code.show': { paramsTuple?: []; params?: {} }
    'openapi.show': { paramsTuple?: []; params?: {} }
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'health.ready': { paramsTuple?: []; params?: {} }
    'health.live': { paramsTuple?: []; params?: {} }
    'documentation.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'site.icon': { paramsTuple?: []; params?: {} }
    'site.manifest': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'mail_preview.index': { paramsTuple?: []; params?: {} }
    'mail_preview.show': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'confirmation.create': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.access.index': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.sessions.sessions.index': { paramsTuple?: []; params?: {} }
    'two_factor_login.create': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.show': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.edit': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.codes': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.index': { paramsTuple?: []; params?: {} }
    'social.social_login.address': { paramsTuple?: []; params?: {} }
    'social.social_login.callback': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.sign_in_methods.index': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.sign_in_methods.confirm_join': { paramsTuple?: []; params?: {} }
    'security.index': { paramsTuple?: []; params?: {} }
    'account.email.email.edit': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.index': { paramsTuple?: []; params?: {} }
    'account.connected_apps': { paramsTuple?: []; params?: {} }
    'connected_apps.index': { paramsTuple?: []; params?: {} }
    'mcp.questions.show': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'workspaces.index': { paramsTuple?: []; params?: {} }
    'invitations.show': { paramsTuple: [ParamValue]; params: {'token': ParamValue} }
    'workspace.workspaces.show': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.log': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.providers.providers.index': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  POST: {
    'authorize.store': { paramsTuple?: []; params?: {} }
    'pending_authorizations.approve': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'pending_authorizations.deny': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'pending_authorizations.switch': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
    'registration.store': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
    'device_authorization.store': { paramsTuple?: []; params?: {} }
    'device_page.approve': { paramsTuple?: []; params?: {} }
    'device_page.deny': { paramsTuple?: []; params?: {} }
    'par.store': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.store': { paramsTuple?: []; params?: {} }
    'password.email': { paramsTuple?: []; params?: {} }
    'password.update': { paramsTuple?: []; params?: {} }
    'email.resend': { paramsTuple?: []; params?: {} }
    'email.follow': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'login.code': { paramsTuple?: []; params?: {} }
    'login.code.verify': { paramsTuple?: []; params?: {} }
    'confirm.code': { paramsTuple?: []; params?: {} }
    'confirm.code.verify': { paramsTuple?: []; params?: {} }
    'back_channel_logout': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'language.store': { paramsTuple?: []; params?: {} }
    'confirmation.store': { paramsTuple?: []; params?: {} }
    'account.profile.update': { paramsTuple?: []; params?: {} }
    'account.password.update': { paramsTuple?: []; params?: {} }
    'account.access.end': { paramsTuple?: []; params?: {} }
    'account.deletion.destroy': { paramsTuple?: []; params?: {} }
    'account.sessions.end_others': { paramsTuple?: []; params?: {} }
    'account.sessions.end_one': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'two_factor_login.store': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.store': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.enable': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.renew': { paramsTuple?: []; params?: {} }
    'account.two_factor.two_factor.destroy': { paramsTuple?: []; params?: {} }
    'passkey_login.options': { paramsTuple?: []; params?: {} }
    'passkey_login.store': { paramsTuple?: []; params?: {} }
    'confirm.passkey.passkey_confirmation.options': { paramsTuple?: []; params?: {} }
    'confirm.passkey.passkey_confirmation.store': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.store': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.options': { paramsTuple?: []; params?: {} }
    'account.passkeys.passkeys.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.passkeys.remove': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'social.social_login.store': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'social.social_login.callback_form': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'confirm.social': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.sign_in_methods.join': { paramsTuple?: []; params?: {} }
    'account.sign_in_methods.link': { paramsTuple: [ParamValue]; params: {'name': ParamValue} }
    'account.sign_in_methods.remove': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.email.email.update': { paramsTuple?: []; params?: {} }
    'account.email.email.cancel': { paramsTuple?: []; params?: {} }
    'account.tokens.store': { paramsTuple?: []; params?: {} }
    'account.tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'tokens.store': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.store': { paramsTuple?: []; params?: {} }
    'account.access_tokens.access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'account.connected_apps.end': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'mcp.questions.accept': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'mcp.questions.decline': { paramsTuple: [ParamValue]; params: {'handle': ParamValue} }
    'workspaces.store': { paramsTuple?: []; params?: {} }
    'workspaces.switch': { paramsTuple?: []; params?: {} }
    'workspaces.restore': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'invitations.accept': { paramsTuple: [ParamValue]; params: {'token': ParamValue} }
    'workspace.workspaces.update': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.leave': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.transfer': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.workspaces.destroy': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.members.update': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.members.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.invitations.store': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.invitations.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.store': { paramsTuple: [ParamValue]; params: {'slug': ParamValue} }
    'workspace.providers.providers.verify': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.enforce': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'workspace.providers.providers.destroy': { paramsTuple: [ParamValue,ParamValue]; params: {'slug': ParamValue,'id': ParamValue} }
    'operations': { paramsTuple?: []; params?: {} }
    'posts.store': { paramsTuple?: []; params?: {} }
    'posts.author.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  DELETE: {
    'user_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'user_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'personal_access_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'account.sessions.others': { paramsTuple?: []; params?: {} }
    'account.sessions.one': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.passkeys.passkeys.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.sign_in_methods.sign_in_methods.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'account.connected_apps.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'connected_apps.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  PATCH: {
    'posts.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  PUT: {
  }
  OPTIONS: {
  }
}
declare module '@adonisjs/core/types/http' {
  export interface RoutesList extends ScannedRoutes {}
}