export { PAGE, describeRoutes } from '#openapi/describe'
export { OpenApi } from '#openapi/openapi'
export {
  anyObject,
  constant,
  count,
  dateTime,
  instant,
  key,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  url,
} from '#openapi/schemas'
