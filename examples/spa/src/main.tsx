import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

import '@picocss/pico/css/pico.min.css'
import './app.css'

import { Account } from './account'
import { answerOf, api, Failure, type User } from './api'
import { Message } from './form'
import { Posts } from './posts'
import { SignIn } from './sign_in'

/** Whoever is signed in, nobody (null), or not known yet. */
function App() {
  const [user, setUser] = useState<User | null>()
  const [failure, setFailure] = useState<Failure>()
  const [page, setPage] = useState(location.hash)

  useEffect(() => {
    addEventListener('hashchange', () => setPage(location.hash))
    addEventListener('signed-out', () => setUser(null))
    answerOf(api.GET('/api/me')).then(
      (answer) => setUser(answer.user),
      (error: Failure) => setFailure(error)
    )
  }, [])

  async function signOut() {
    await api.POST('/logout')
    setUser(null)
  }

  if (user === undefined) return <Message failure={failure} />
  if (!user) return <SignIn enter={setUser} />
  return (
    <>
      <header className="container">
        <nav>
          <ul>
            <li>
              <strong>Notebook</strong>
            </li>
          </ul>
          <ul>
            <li>
              <a href="#posts">Posts</a>
            </li>
            <li>
              <a href="#account">{user.full_name || user.email}</a>
            </li>
            <li>
              <button className="outline secondary" onClick={signOut}>
                Sign out
              </button>
            </li>
          </ul>
        </nav>
      </header>
      {page === '#account' ? <Account user={user} change={setUser} /> : <Posts />}
    </>
  )
}

createRoot(document.getElementById('root')!).render(<App />)
