import { Application } from '@adonisjs/core/app'

/*
| A server outside of production writes the types of its routes, in the order in which its files
| were loaded. Those of a server that tests start are not the project's.
*/
Application.prototype.generatedServerPath = function (...path) {
  return this.tmpPath('generated', ...path)
}
