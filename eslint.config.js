import { configApp } from '@adonisjs/eslint-config'
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import { importX } from 'eslint-plugin-import-x'

import walls from './eslint/walls.js'

export default configApp(
  {
    files: ['**/*.ts'],
    plugins: { 'house': walls, 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true } },
    settings: {
      ...importX.flatConfigs.typescript.settings,
      'import-x/resolver-next': [createTypeScriptImportResolver()],
    },
    rules: {
      /* "npm run lint" asks Prettier itself, which is faster. */
      'prettier/prettier': 'off',
      'house/walls': 'error',
      /* Files whose values need each other load in an order that nobody chose. Types alone may. */
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      /* A promise that nobody awaits fails unnoticed: await it, return it, or say "void". */
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
  /* Models and resources name each other in callbacks, as Lucid's relations do. */
  { files: ['app/models/**', 'app/resources/**'], rules: { 'import-x/no-cycle': 'off' } },
  { files: ['modules/json_api/**'], rules: { 'import-x/no-cycle': 'off' } },
  /* A test looks at one member of an answer and is done with it. */
  { files: ['tests/**/*.ts'], rules: { '@unicorn/no-await-expression-member': 'off' } }
)
