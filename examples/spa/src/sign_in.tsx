import { type ReactNode, useState } from 'react'

import { answerOf, api, Failure, passkeyFor, server, type Answer, type User } from './api'
import { Field, Form } from './form'

const Email = () => (
  <Field label="E-mail address" name="email" type="email" autoComplete="username" />
)
const Password = ({ as }: { as: 'current-password' | 'new-password' }) => (
  <Field label="Password" name="password" type="password" autoComplete={as} />
)

/** What somebody sees who is not signed in. */
export function SignIn({ enter }: { enter: (user: User) => void }) {
  const [step, setStep] = useState<'password' | 'account' | 'second factor'>('password')

  /** A right password may not be enough. */
  function goOn(answer: Answer) {
    if ('user' in answer) return enter(answer.user)
    if (!answer.two_factor) throw new Failure(`This account takes a code by mail: ${server}/login`)
    setStep('second factor')
  }

  switch (step) {
    case 'password':
      return (
        <Card title="Sign in" other="Create an account" go={() => setStep('account')}>
          <Form
            submit="Sign in"
            send={async ({ email = '', password = '', remember }) => {
              const body = { email, password, remember: Boolean(remember) }
              goOn(await answerOf(api.POST('/login', { body })))
            }}
          >
            <Email />
            <Password as="current-password" />
            <label>
              <input type="checkbox" name="remember" /> Remember me
            </label>
          </Form>
          <Form
            submit="Use a passkey"
            look="outline"
            send={async () => {
              const options = await answerOf(api.POST('/login/passkey/options'))
              const body = { response: await passkeyFor(options) }
              goOn(await answerOf(api.POST('/login/passkey', { body })))
            }}
          />
          <a href={`${server}/password/forgot`}>Forgot your password?</a>
        </Card>
      )
    case 'account':
      return (
        <Card title="Create an account" other="I have an account" go={() => setStep('password')}>
          <Form
            submit="Create account"
            send={async ({ full_name, email = '', password = '' }) => {
              const body = { full_name, email, password, password_confirmation: password }
              await answerOf(api.POST('/register', { body }))
              goOn(await answerOf(api.POST('/login', { body })))
            }}
          >
            <Field label="Full name" name="full_name" autoComplete="name" required={false} />
            <Email />
            <Password as="new-password" />
          </Form>
        </Card>
      )
    case 'second factor':
      return (
        <Card title="Two-factor authentication" other="Cancel" go={() => setStep('password')}>
          <p>Type the code that your authenticator app shows, or one of your recovery codes.</p>
          <Form
            submit="Continue"
            send={async ({ code = '' }) => {
              const body = /^\d{6}$/.test(code) ? { code } : { recovery_code: code }
              goOn(await answerOf(api.POST('/login/two-factor', { body })))
            }}
          >
            <Field label="Code" name="code" autoComplete="one-time-code" autoFocus />
          </Form>
        </Card>
      )
  }
}

interface CardProps {
  title: string
  /** Words of the button that leads elsewhere. */
  other: string
  go: () => void
  children: ReactNode
}

const Card = ({ title, other, go, children }: CardProps) => (
  <main className="container narrow">
    <article>
      <h1>{title}</h1>
      {children}
      <footer>
        <button className="outline secondary" onClick={go}>
          {other}
        </button>
      </footer>
    </article>
  </main>
)
