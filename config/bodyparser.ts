import { defineConfig } from '@adonisjs/core/bodyparser'

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
  },

  multipart: {
    autoProcess: true,
    convertEmptyStringsToNull: true,
    trimWhitespaces: false,
    processManually: [],
    limit: '20mb',
    types: ['multipart/form-data'],
  },
})
