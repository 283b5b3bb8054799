import { writeFileSync } from 'node:fs'

import { settingsPage } from './settings.js'

writeFileSync(new URL('../../../docs/settings.md', import.meta.url), settingsPage())
