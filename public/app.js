/* Pages work without this file; it makes them nicer to use. */

const { dataset, lang } = document.documentElement
const all = (selector) => document.querySelectorAll(selector)

/** What this tab remembers. A browser that refuses cookies refuses that, too, and signing in needs them. */
let kept = {}
try {
  kept = sessionStorage
} catch {
  all('[data-no-cookies]').forEach((notice) => (notice.hidden = false))
}

/** A switch between light and dark, remembered for a year in a cookie: the server reads it. */
for (const button of all('[data-theme-switch]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    const isDark = dataset.theme
      ? dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
    dataset.theme = isDark ? 'light' : 'dark'
    document.cookie = `theme=${dataset.theme}; path=/; max-age=31536000; samesite=lax`
  })
}

/** Browsers keep addresses with secrets to themselves. What was typed, but secrets, stays when the language is chosen. */
for (const page of all('[name=page]')) {
  const [address, ...typed] = JSON.parse(kept.fields ?? '[]')
  const fields = all('main [name]:not([type=hidden], [type=file], [type=password], [name$=code])')
  page.value = location.pathname + location.search
  delete kept.fields
  if (address === page.value) {
    fields.forEach((field, at) => {
      /* Unless somebody was faster than this file. */
      const { value, defaultValue = value } = field
      value === defaultValue && Object.assign(field, typed[at])
    })
  }
  page.form.addEventListener('submit', () => {
    kept.fields = JSON.stringify([page.value, ...fields], ['value', 'checked'])
  })
}

/** A button that copies the text of the element it names. */
for (const button of all('[data-copy]')) {
  const words = button.textContent
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.textContent = button.dataset.copied
    setTimeout(() => (button.textContent = words), 2000)
  })
}

/** An open menu closes on Escape, and when a click or the focus goes elsewhere. */
for (const menu of all('details.menu')) {
  for (const event of ['click', 'focusin']) {
    document.addEventListener(event, ({ target }) => (menu.open &&= menu.contains(target)))
  }
  menu.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') {
      menu.open = false
      menu.querySelector('summary').focus()
    }
  })
}

/** Moments are in UTC; scripts know the reader's time zone, and how long ago they were. */
const UNITS = { minute: 60, hour: 3600, day: 86400 }
for (const time of all('time[data-local]')) {
  const at = new Date(time.dateTime)
  const seconds = (at - Date.now()) / 1000
  const unit = Object.keys(UNITS).findLast((name) => Math.abs(seconds) >= UNITS[name])
  time.title = at.toLocaleString(lang, { dateStyle: 'medium', timeStyle: 'short' })
  time.textContent =
    Math.abs(seconds) > 7 * UNITS.day
      ? time.title
      : new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(
          unit ? Math.round(seconds / UNITS[unit]) : 0,
          unit ?? 'second'
        )
}

/** Tabs that a guest opens at once begin a session each, and the browser keeps the token of one. */
function renew({ target }) {
  for (const field of target.querySelectorAll('[data-cookie]')) {
    const token = `; ${document.cookie}`.split(`; ${field.dataset.cookie}=`)[1]
    field.value = token?.split(';')[0] ?? field.value
  }
}
addEventListener('submit', renew, true)

/** A form is sent once. It can be used again when the person comes back, or has stopped the browser. */
addEventListener('submit', (event) => {
  const form = event.target
  if (form.ariaBusy) {
    event.preventDefault()
  } else if (!event.defaultPrevented && form.method !== 'dialog') {
    form.ariaBusy = 'true'
    /* An app leaves the page where it is. */
    const words = event.submitter?.dataset.then
    words && setTimeout(() => form.replaceWith(words), 3000)
  }
})
function release() {
  all('form[aria-busy]').forEach((form) => (form.ariaBusy = null))
  all('input[name=sure]').forEach((answer) => answer.remove())
}
addEventListener('pageshow', release)
globalThis.navigation?.addEventListener('navigateerror', release)

/** A form that destroys something asks first. */
for (const form of all('form[data-sure]')) {
  form.addEventListener('submit', (event) => {
    if (form.elements.sure) {
      return
    }
    event.preventDefault()
    const { sure, sureText, sureSubmit, sureCancel } = form.dataset
    const dialog = document.createElement('dialog')
    const add = (parent, name, properties) =>
      parent.appendChild(Object.assign(document.createElement(name), properties))
    dialog.ariaLabel = sure
    dialog.ariaDescription = sureText
    add(dialog, 'h2', { textContent: sure })
    add(dialog, 'p', { textContent: sureText })
    const answers = add(dialog, 'form', { method: 'dialog', className: 'actions' })
    add(answers, 'button', { textContent: sureSubmit, value: 'yes', className: 'danger' })
    add(answers, 'button', { textContent: sureCancel, className: 'secondary', autofocus: true })
    /* The second click of a double click is no answer: it was meant for the button below. */
    dialog.addEventListener('click', (event) => event.detail > 1 && event.preventDefault())
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (dialog.returnValue === 'yes') {
        add(form, 'input', { type: 'hidden', name: 'sure', value: '1' })
        form.requestSubmit()
      }
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}

/** The address that was typed goes along to the next page that asks for it. */
for (const field of all('input[type=email][autocomplete^=username]:not([readonly])')) {
  field.value ||= kept.address ?? ''
  field.addEventListener('change', () => (kept.address = field.value))
}

/** What was typed into a field for a password can be seen. */
for (const button of all('[data-reveal]')) {
  const field = document.getElementById(button.dataset.reveal)
  const words = button.textContent
  button.hidden = false
  button.addEventListener('click', () => {
    const isShown = field.type === 'text'
    field.type = isShown ? 'password' : 'text'
    button.textContent = isShown ? words : button.dataset.hide
    field.focus()
  })
  field.form.addEventListener('submit', () => (field.type = 'password'))
}

/** A code sends itself when its last digit is typed or pasted. */
for (const field of all('input[data-sends]')) {
  field.addEventListener('input', ({ inputType, data }) => {
    const isWhole = inputType === 'insertText' && data?.length > 1
    if (!isWhole && /^\d{6}$/.test(field.value)) {
      field.form.requestSubmit()
    }
  })
}

for (const button of all('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
