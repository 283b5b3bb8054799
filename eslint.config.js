import { configApp } from '@adonisjs/eslint-config'
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import { importX } from 'eslint-plugin-import-x'

import walls from './eslint/walls.js'

export default configApp(
  {
    files: ['**/*.ts'],
    plugins: { 'house': walls, 'import-x': importX },
    settings: {
      ...importX.flatConfigs.typescript.settings,
      'import-x/resolver-next': [createTypeScriptImportResolver()],
    },
    rules: {
      'house/walls': 'error',
      /* Files whose values need each other load in an order that nobody chose. Types alone may. */
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
    },
  },
  /* Models and resources name each other in callbacks, as Lucid's relations do. */
  { files: ['app/models/**', 'app/resources/**'], rules: { 'import-x/no-cycle': 'off' } },
  { files: ['modules/json_api/**'], rules: { 'import-x/no-cycle': 'off' } },
  /* A test looks at one member of an answer and is done with it. */
  { files: ['tests/**/*.ts'], rules: { '@unicorn/no-await-expression-member': 'off' } }
)
