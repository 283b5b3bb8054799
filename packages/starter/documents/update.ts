import { writeFileSync } from 'node:fs'

import { apiPage } from './api.js'
import { exportedOpenApi } from './openapi.js'
import { settingsPage } from './settings.js'

const write = (path: string, page: string) =>
  writeFileSync(new URL(`../../../${path}`, import.meta.url), page)

write('docs/settings.md', settingsPage())
write('packages/kit/API.md', apiPage())
write('packages/starter/fixtures/openapi.json', await exportedOpenApi())
