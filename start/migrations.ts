/*
|--------------------------------------------------------------------------
| Migration commands
|--------------------------------------------------------------------------
|
| In development Lucid rewrites database/schema.ts after every migration command.
| After a rollback the classes of the dropped tables would be missing, and the
| application could not start to migrate again. So a rollback keeps the file; the
| next migration rewrites it.
|
*/

import ace from '@adonisjs/core/services/ace'

ace.executing((command) => {
  if (['migration:rollback', 'migration:reset'].includes(command.commandName)) {
    Object.assign(command, { schemaGenerate: false })
  }
})
