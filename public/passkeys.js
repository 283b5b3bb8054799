/*
| Forms that the browser answers with a passkey. Without this file, and in a
| browser that knows no passkeys, they stay hidden.
*/

const isKnown =
  window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined &&
  window.PublicKeyCredential.parseCreationOptionsFromJSON !== undefined

/** What an answer of the server means here. */
const REFUSED = { 401: 'session', 403: 'session', 429: 'throttled' }

/** What a failure is called in the words of the page; every other one just did not work. */
const FAILURES = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'registered',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
  SecurityError: 'unsupported',
}

/** The ceremony that waits for its person. A page has one at a time. */
let running = new AbortController()

/** Asks the server what the browser needs, with the form's CSRF field. */
async function optionsOf(form) {
  const response = await fetch(form.dataset.options, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  })
  if (!response.ok) {
    throw new DOMException(
      `The options are refused with ${response.status}`,
      REFUSED[response.status]
    )
  }
  return response.json()
}

/** Asks the person for a passkey, or for a new one, and sends the form with the browser's answer. */
async function answer(form, mediation) {
  running.abort()
  running = new AbortController()
  const { signal } = running
  const options = await optionsOf(form)
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          signal,
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          mediation,
          signal,
        })
  form.elements.response.value = JSON.stringify(credential.toJSON())
  addFields(form)
  form.submit()
}

/** Takes along what stands in another form of the page: the form for the password. */
function addFields(form) {
  for (const name of form.dataset.fields.split(' ').filter(Boolean)) {
    const [filled] = document.querySelectorAll(
      `input[name=${name}]:not([type=checkbox]), input[name=${name}]:checked`
    )
    if (filled) {
      const field = document.createElement('input')
      Object.assign(field, { type: 'hidden', name, value: filled.value })
      form.append(field)
    }
  }
}

for (const form of isKnown ? document.querySelectorAll('form[data-passkey]') : []) {
  const message = form.querySelector('[data-passkey-error]')
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (form.ariaBusy) {
      return
    }
    form.ariaBusy = 'true'
    message.hidden = true
    /* What went well before is no answer to this. */
    document.querySelectorAll('.message.success').forEach((old) => old.remove())
    try {
      await answer(form)
    } catch ({ name }) {
      form.ariaBusy = null
      message.textContent = message.dataset[FAILURES[name] ?? name] ?? message.dataset.failed
      message.hidden = false
    }
  })
}

for (const notice of isKnown ? document.querySelectorAll('[data-no-passkeys]') : []) {
  notice.hidden = true
}

/** Offers passkeys in the field for the e-mail address, where the browser can. */
const waiting = isKnown && document.querySelector('form[data-waiting]')
if (waiting && (await PublicKeyCredential.isConditionalMediationAvailable?.())) {
  /* It ends when the person does something else, which is no failure. */
  answer(waiting, 'conditional').catch(() => {})
}
