/** An argument of a prompt. Clients send arguments as strings. */
export class Argument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean

  constructor(options: { name: string; title?: string; description?: string; required?: boolean }) {
    this.name = options.name
    this.title = options.title
    this.description = options.description
    this.required = options.required ?? false
  }
}
