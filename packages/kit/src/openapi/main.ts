export {
  PAGE,
  anyObject,
  constant,
  count,
  dateTime,
  describeRoutes,
  instant,
  key,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  url,
} from '#openapi/describe'
export { OpenApi } from '#openapi/openapi'
