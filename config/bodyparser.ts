import { defineConfig } from 'adonis-auth-kit/http/define_config'

/**
 * Values are not changed: a password keeps its spaces, and each validator decides
 * what it trims.
 */
export default defineConfig({
  allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],

  form: {
    convertEmptyStringsToNull: true,
    trimWhitespaces: false,
    types: ['application/x-www-form-urlencoded'],
    limit: '56kb',
  },

  json: {
    convertEmptyStringsToNull: true,
    trimWhitespaces: false,
    types: ['application/json', 'application/vnd.api+json'],
    limit: '1mb',
    maxDepth: 32,
    maxElements: 10_000,
  },

  /** Files are read by routes alone that name `middleware.files()`. */
  multipart: {
    convertEmptyStringsToNull: true,
    trimWhitespaces: false,
    types: ['multipart/form-data'],
    limit: '20mb',
    fieldsLimit: '2mb',
    maxFields: 1000,
  },
})
