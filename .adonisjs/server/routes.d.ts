import '@adonisjs/core/types/http'

type ParamValue = string | number | bigint | boolean

export type ScannedRoutes = {
  ALL: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'authorize.store': { paramsTuple?: []; params?: {} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
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
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'posts.store': { paramsTuple?: []; params?: {} }
  }
  GET: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  HEAD: {
    'metadata.show': { paramsTuple?: []; params?: {} }
    'authorize.show': { paramsTuple?: []; params?: {} }
    'user_tokens.index': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.index': { paramsTuple?: []; params?: {} }
    'password.request': { paramsTuple?: []; params?: {} }
    'password.reset': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
    'posts.index': { paramsTuple?: []; params?: {} }
    'posts.show': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
  }
  POST: {
    'authorize.store': { paramsTuple?: []; params?: {} }
    'token.store': { paramsTuple?: []; params?: {} }
    'token.password': { paramsTuple?: []; params?: {} }
    'token.introspect': { paramsTuple?: []; params?: {} }
    'token.revoke': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.store': { paramsTuple?: []; params?: {} }
    'password.email': { paramsTuple?: []; params?: {} }
    'password.update': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'posts.store': { paramsTuple?: []; params?: {} }
  }
  DELETE: {
    'user_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'user_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
    'personal_access_tokens.destroy_all': { paramsTuple?: []; params?: {} }
    'personal_access_tokens.destroy': { paramsTuple: [ParamValue]; params: {'jti': ParamValue} }
  }
}
declare module '@adonisjs/core/types/http' {
  export interface RoutesList extends ScannedRoutes {}
}