import { configApp } from '@adonisjs/eslint-config'

/*
| The walls of the house: controllers, middleware, commands and providers stand
| on the rooms, the rooms on app/auth, and app/auth on nothing of ours. What a
| room needs of another it asks the AuthManager for.
*/
const ROOMS = ['session', 'api_token', 'oauth2', 'throttle', 'json_api', 'mcp']
const UPPER_FLOOR = ['commands', 'controllers', 'exceptions', 'middleware', 'providers', 'start']

const ABOVE_AUTH = [...ROOMS, ...UPPER_FLOOR, 'resources', 'validators', 'config']

function wall(files, forbidden, message) {
  return {
    files,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: `^#(${forbidden.join('|')})/`, message },
            {
              regex: '^\\.\\.?/',
              message: 'Import through an alias, so that the walls can be seen.',
            },
          ],
        },
      ],
    },
  }
}

export default configApp(
  wall(
    ['app/auth/**/*.ts'],
    [...ABOVE_AUTH, 'models'],
    'app/auth is the ground floor: it imports nothing of ours.'
  ),
  wall(
    ['app/auth/password_reset/stores/*.ts'],
    ABOVE_AUTH,
    'app/auth is the ground floor: its stores import models, and nothing else of ours.'
  ),
  ...ROOMS.map((room) =>
    wall(
      [`app/${room}/**/*.ts`],
      [...ROOMS.filter((other) => other !== room), ...UPPER_FLOOR],
      'A room imports no other room and nothing above it: ask the AuthManager by name.'
    )
  ),
  wall(['app/models/**/*.ts'], [...ROOMS, ...UPPER_FLOOR], 'Models import nothing of the rooms.'),
  /* A test looks at one member of an answer and is done with it. */
  { files: ['tests/**/*.ts'], rules: { '@unicorn/no-await-expression-member': 'off' } }
)
