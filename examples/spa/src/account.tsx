import { useEffect, useState } from 'react'

import { answerOf, api, Failure, server, type User } from './api'
import { Field, Form, Message } from './form'

/** Pages of the application, which ask for a fresh proof of who is there. */
const SECURITY = [
  ['passkeys', 'Passkeys'],
  ['two-factor', 'Two-factor authentication'],
  ['sessions', 'Devices'],
  ['password', 'Password'],
]

export function Account({ user, change }: { user: User; change: (user: User) => void }) {
  return (
    <main className="container">
      <h1>Your account</h1>
      <article>
        <Form
          submit="Save"
          send={async ({ full_name }) => {
            const answer = await answerOf(api.POST('/account', { body: { full_name } }))
            change(answer.user)
            return 'Your profile has been changed.'
          }}
        >
          <Field
            label="Full name"
            name="full_name"
            autoComplete="name"
            defaultValue={user.full_name ?? ''}
            required={false}
          />
        </Form>
      </article>
      <Address />
      <article>
        <h2>Sign-in and security</h2>
        {SECURITY.map(([path, name]) => (
          <p key={path}>
            <a href={`${server}/account/${path}`}>{name}</a>
          </p>
        ))}
      </article>
    </main>
  )
}

function Address() {
  const [address, setAddress] = useState<{ email: string; verified: boolean }>()
  const [failure, setFailure] = useState<Failure>()
  useEffect(() => {
    const read = () => answerOf(api.GET('/account/email')).then(setAddress, setFailure)
    void read()
    /* Back from the mail. */
    addEventListener('focus', read)
    return () => removeEventListener('focus', read)
  }, [])

  if (!address) return <Message failure={failure} />
  return (
    <article>
      <h2>E-mail address</h2>
      <p>
        {address.email} {address.verified && <mark>verified</mark>}
      </p>
      {!address.verified && (
        <Form
          submit="Send the link again"
          look="outline"
          send={async () => {
            await answerOf(api.POST('/email/verify'))
            return 'Another link has been sent.'
          }}
        >
          <p>Open the link that we have sent to this address, and come back.</p>
        </Form>
      )}
    </article>
  )
}
