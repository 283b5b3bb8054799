import '@adonisjs/core/types/http'

type ParamValue = string | number | bigint | boolean

export type ScannedRoutes = {
  ALL: {
    'email.store': { paramsTuple?: []; params?: {} }
    'reset.store': { paramsTuple?: []; params?: {} }
    'email.create': { paramsTuple?: []; params?: {} }
    'reset.create': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
  }
  POST: {
    'email.store': { paramsTuple?: []; params?: {} }
    'reset.store': { paramsTuple?: []; params?: {} }
    'new_account.store': { paramsTuple?: []; params?: {} }
    'session.store': { paramsTuple?: []; params?: {} }
    'session.destroy': { paramsTuple?: []; params?: {} }
  }
  GET: {
    'email.create': { paramsTuple?: []; params?: {} }
    'reset.create': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
  }
  HEAD: {
    'email.create': { paramsTuple?: []; params?: {} }
    'reset.create': { paramsTuple?: []; params?: {} }
    'user': { paramsTuple: [ParamValue]; params: {'id': ParamValue} }
    'health.show': { paramsTuple?: []; params?: {} }
    'new_account.create': { paramsTuple?: []; params?: {} }
    'session.create': { paramsTuple?: []; params?: {} }
    'account.show': { paramsTuple?: []; params?: {} }
    'me.show': { paramsTuple?: []; params?: {} }
  }
}
declare module '@adonisjs/core/types/http' {
  export interface RoutesList extends ScannedRoutes {}
}