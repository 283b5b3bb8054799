/*
| Pages work without this file; it makes them nicer to use.
*/

const YEAR = 365 * 24 * 60 * 60

/** A switch between light and dark, remembered in a cookie that the server reads before it paints. */
for (const button of document.querySelectorAll('[data-theme-switch]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    const root = document.documentElement
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = isDark ? 'light' : 'dark'
    document.cookie = `theme=${root.dataset.theme}; path=/; max-age=${YEAR}; samesite=lax`
  })
}

/** A button that copies the text of the element it names. */
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.textContent = button.dataset.copied
  })
}

/** An open menu closes on Escape and on a click elsewhere. */
for (const menu of document.querySelectorAll('details.menu')) {
  document.addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) {
      menu.open = false
    }
  })
  menu.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') {
      menu.open = false
      menu.querySelector('summary').focus()
    }
  })
}

/** Moments are in UTC; scripts know the reader's time zone. */
for (const time of document.querySelectorAll('time[data-local]')) {
  time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
}
