import '@adonisjs/core/types/http'

type ParamValue = string | number | bigint | boolean

export type ScannedRoutes = {
  ALL: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'authorize.store': { paramsTuple?: []; params?: {} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
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
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.profile.update': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.password.update': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.deletion.destroy': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'account.tokens.store': { paramsTuple?: []; params?: {} }
    'account.tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'tokens.store': { paramsTuple?: []; params?: {} }
    'tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'me.show': { paramsTuple?: []; params?: {} }
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
    'authorize.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'me.show': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  HEAD: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'start.show': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.profile.show': { paramsTuple?: []; params?: {} }
    'account.password.edit': { paramsTuple?: []; params?: {} }
    'account.deletion.edit': { paramsTuple?: []; params?: {} }
    'account.tokens': { paramsTuple?: []; params?: {} }
    'tokens.index': { paramsTuple?: []; params?: {} }
    'post_pages.index': { paramsTuple?: []; params?: {} }
    'post_pages.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'me.show': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.related': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  POST: {
    'authorize.store': { paramsTuple?: []; params?: {} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.store': { paramsTuple?: []; params?: {} }
    'password.email': { paramsTuple?: []; params?: {} }
    'password.update': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'account.profile.update': { paramsTuple?: []; params?: {} }
    'account.password.update': { paramsTuple?: []; params?: {} }
    'account.deletion.destroy': { paramsTuple?: []; params?: {} }
    'account.tokens.store': { paramsTuple?: []; params?: {} }
    'account.tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'tokens.store': { paramsTuple?: []; params?: {} }
    'posts.store': { paramsTuple?: []; params?: {} }
    'posts.author.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.store': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  DELETE: {
    'user_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'user_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'personal_access_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'tokens.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.destroy': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  OPTIONS: {
  }
  PUT: {
  }
  PATCH: {
    'posts.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.author.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.comments.relationship.update': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
}
declare module '@adonisjs/core/types/http' {
  export interface RoutesList extends ScannedRoutes {}
}