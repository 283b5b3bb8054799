import { configApp } from '@adonisjs/eslint-config'

import circles from 'adonis-auth-kit/eslint/circles'
import walls from 'adonis-auth-kit/eslint/walls'

export default configApp(
  {
    ignores: [
      '.adonisjs/client/**',
      'tmp/**',
      'examples/**',
      'packages/starter/fixtures/**',
      'packages/kit/build/**',
    ],
  },
  {
    files: ['**/*.ts'],
    plugins: { house: { rules: { circles, walls } } },
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      /* "npm run lint" asks Prettier itself, which is faster. */
      'prettier/prettier': 'off',
      'house/walls': 'error',
      'house/circles': 'error',
      'no-duplicate-imports': 'error',
      /* A promise that nobody awaits fails unnoticed: await it, return it, or say "void". */
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
  /* Models and resources name each other in callbacks, as Lucid's relations do. */
  { files: ['app/models/**', 'app/resources/**'], rules: { 'house/circles': 'off' } },
  /* A test looks at one member of an answer and is done with it. */
  {
    files: ['tests/**/*.ts', 'packages/starter/**/*.ts'],
    rules: { '@unicorn/no-await-expression-member': 'off' },
  }
)
