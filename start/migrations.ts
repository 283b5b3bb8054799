/*
|--------------------------------------------------------------------------
| Migration commands
|--------------------------------------------------------------------------
|
| In development Lucid writes database/schema.ts anew after every migration
| command. After a rollback the classes of the dropped tables would be gone,
| and with them the models that the app needs to start and to migrate again:
| so a rollback leaves the file as it is, and the next migration writes it.
|
*/

import ace from '@adonisjs/core/services/ace'

ace.executing((command) => {
  if (['migration:rollback', 'migration:reset'].includes(command.commandName)) {
    Object.assign(command, { schemaGenerate: false })
  }
})
