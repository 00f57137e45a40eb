// Elements made of text only, times, and questions to the API.
const $ = id => document.getElementById(id)

// What comes from outside becomes text nodes and nothing else.
const el = (tag, props, ...children) => {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') node.addEventListener(name, value)
    else node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.filter(child => child !== undefined && child !== null))
  return node
}
const put = (node, text) => { if (node.textContent !== text) node.textContent = text }

// Signs that turn the direction of what follows, and those that cannot be seen, are shown as such.
const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
const plain = (value, limit = 200) => {
  const text = String(value)
  return (text.length > limit ? text.slice(0, limit - 1) + '…' : text).replace(odd, '\ufffd')
}
const pretty = (value, limit = 16384) => plain(JSON.stringify(value, null, 2) ?? '', limit)
const short = token => !token ? '' : token.length > 18 ? token.slice(0, 8) + '…' + token.slice(-6) : plain(token)
const many = (count, one, more) => count.toLocaleString('en') + ' ' + (count === 1 ? one : more)

// MARK: Times

const pad = (number, size = 2) => String(number).padStart(size, '0')
const timeOfDay = instant => {
  const date = new Date(instant)
  return isNaN(date) ? '' : pad(date.getHours()) + ':' + pad(date.getMinutes()) + ':' + pad(date.getSeconds())
    + '.' + pad(date.getMilliseconds(), 3)
}
const spell = seconds => {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return whole + ' s'
  if (whole < 3600) return Math.floor(whole / 60) + ' min' + (whole < 600 ? ' ' + whole % 60 + ' s' : '')
  if (whole < 172800) return Math.floor(whole / 3600) + ' h ' + Math.floor(whole % 3600 / 60) + ' min'
  return Math.floor(whole / 86400) + ' days'
}
const milliseconds = text => text ? Date.parse(text) : NaN

// The mock's clock as it was told last, and how far it must be by now.
let clock = null, clockToldAt = 0
const mockNow = () => clock === null ? Date.now()
  : Date.parse(clock.now) + (clock.isStill ? 0 : (performance.now() - clockToldAt) * (clock.scale ?? 1))

// MARK: Questions

const tokenKey = 'pushrig-token'
let bearer = sessionStorage.getItem(tokenKey) ?? ''
if (/^#[0-9A-Za-z_-]{20,}$/.test(location.hash)) {
  bearer = location.hash.slice(1)
  sessionStorage.setItem(tokenKey, bearer)
  history.replaceState(null, '', location.pathname)
}

let asking = null
const askToken = () => asking ??= new Promise(resolve => {
  put($('ask-trouble'), bearer ? 'That is not the token of this mock.' : '')
  $('ask-token').value = ''
  $('ask').showModal()
  $('ask-form').onsubmit = () => {
    bearer = $('ask-token').value.trim()
    sessionStorage.setItem(tokenKey, bearer)
    asking = null
    resolve()
  }
})
$('ask').addEventListener('cancel', event => event.preventDefault())

const request = async (path, options = {}) => {
  for (;;) {
    const used = bearer
    const headers = { ...options.headers }
    // No field of HTTP holds other signs, and a token has none.
    if (/^[\x21-\x7e]+$/.test(used)) headers.authorization = 'Bearer ' + used
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    const answer = await fetch(path, { ...options, headers, cache: 'no-store' })
    if (answer.status !== 401) return answer
    if (used === bearer) await askToken()
  }
}

const ask = async (path, method = 'GET', content = undefined) => {
  const body = content === undefined || typeof content === 'string' ? content : JSON.stringify(content)
  const answer = await request(path, { method, body })
  const text = await answer.text()
  const json = text ? JSON.parse(text) : null
  if (answer.ok) return json
  const error = json?.error
  const words = error ? error.message + (error.hint ? ' (' + error.hint + ')' : '') : 'HTTP ' + answer.status
  throw new Error(plain(words, 600))
}

// MARK: Telling

const say = text => put($('said'), text)
// What has the keyboard goes: then it stands at the section, not at the top of the page.
const takeAway = (node, section) => {
  const hadFocus = node.contains(document.activeElement)
  node.remove()
  if (hadFocus) $(section).focus()
}
const trouble = text => { $('trouble').hidden = !text; put($('trouble'), text) }
const guarded = (place, act) => async (...given) => {
  put($(place), '')
  try { await act(...given) } catch (error) { put($(place), error.message) }
}

// Drawn at most every quarter of a second, whatever comes, and not at all while nobody can see it.
const drawings = new Set()
let isDrawing = false
const draw = drawing => {
  drawings.add(drawing)
  if (isDrawing || document.hidden) return
  isDrawing = true
  setTimeout(() => {
    isDrawing = false
    const due = [...drawings]
    drawings.clear()
    for (const one of due) one()
  }, 250)
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) for (const one of [...drawings]) draw(one)
})
