/** What a prompt asks for. Clients send every argument as a string. */
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
