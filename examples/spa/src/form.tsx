import { type ComponentProps, createContext, type ReactNode, useContext, useState } from 'react'

import { Failure } from './api'

/** What is wrong with each field of a form. */
const Complaints = createContext<Record<string, string>>({})

/** Says why something did not work, or that it is done. */
export function Message({ failure, done }: { failure?: Failure; done?: string }) {
  if (failure) {
    return (
      <p className="danger" role="alert">
        {failure.message}
      </p>
    )
  }
  return done ? <p role="status">{done}</p> : null
}

interface FormProps {
  /** What it does; may return what to say when it is done. @throws {Failure} */
  send: (fields: Record<string, string>, form: HTMLFormElement) => Promise<string | void>
  submit: string
  look?: string
  children?: ReactNode
}

/** A form that is sent once, keeps what was typed, and says what is wrong where it is wrong. */
export function Form({ send, submit, look, children }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<{ failure?: Failure; done?: string }>({})

  async function run(form: HTMLFormElement) {
    setBusy(true)
    try {
      const fields = Object.fromEntries(new FormData(form)) as Record<string, string>
      setResult({ done: (await send(fields, form)) ?? '' })
    } catch (error) {
      setResult({ failure: error instanceof Failure ? error : new Failure(String(error)) })
    }
    setBusy(false)
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void run(event.currentTarget)
      }}
    >
      <Message {...result} />
      <Complaints value={result.failure?.fields ?? {}}>{children}</Complaints>
      <button className={look} aria-busy={isBusy}>
        {submit}
      </button>
    </form>
  )
}

/** @param rows makes it a text of several lines */
export function Field({ label, rows, ...input }: ComponentProps<'input'> & FieldProps) {
  const complaint = useContext(Complaints)[input.name]
  const Control = (rows ? 'textarea' : 'input') as 'input'
  const wrong = complaint ? { 'aria-invalid': true } : {}
  return (
    <label>
      {label}
      <Control required {...input} {...(rows && { rows })} {...wrong} />
      {complaint && <small>{complaint}</small>}
    </label>
  )
}

interface FieldProps {
  label: string
  name: string
  rows?: number
}
