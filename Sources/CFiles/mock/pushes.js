// The newest pushes: a few hundred are kept, a hundred are drawn.

const pushes = new Map(), keptPushes = 300, fewPushes = 50
let drawnPushes = fewPushes
let isPaused = false, passedOver = 0

const addPush = push => {
  const before = pushes.get(push.id)
  if (before) { Object.assign(before, push); return }
  push.text = [push.token, push.channel, push.topic, push.pushType, push.reason, push.outcome, push.fault, push.apnsId,
    push.kind, (JSON.stringify(push.payload) ?? '').slice(0, 2000)].join(' ').toLowerCase()
  keep(pushes, push.id, push, keptPushes)
}

// Pushes of several loops and connections come in the order of the journal, which is that of arrival.
const fits = (push, text, answer) => {
  if (text && !push.text.includes(text)) return false
  if (answer === 'ok') return push.status === 200
  if (answer === 'bad') return push.status !== 200
  return answer !== 'fault' || push.fault !== null
}

// The push that started an activity went to the app's push-to-start token; of several, the nearest in time. Pushes
// arrive by the host's clock, and activities start by the mock's.
const startOf = token => {
  const record = activities.get(token)
  if (!record?.startToken) return undefined
  const far = push => Math.abs(
    milliseconds(push.arrivedAt) + (clock?.offsetMilliseconds ?? 0) - milliseconds(record.startedAt))
  return [...pushes.values()].filter(push => push.token?.toLowerCase() === record.startToken
    && (push.lateOutcome ?? push.outcome) === 'started').sort((a, b) => far(a) - far(b))[0]
}

const rows = new Map()
const drawPushes = () => {
  const text = $('push-search').value.trim().toLowerCase(), answer = $('push-answer').value
  const start = startOf(text)
  let found = [...pushes.values()].reverse().filter(push => fits(push, push === start ? '' : text, answer))
  const count = found.length
  if (!isPaused) {
    found = found.slice(0, drawnPushes)
    const ids = new Set(found.map(push => push.id))
    for (const [id, row] of rows) if (!ids.has(id)) { takeAway(row.node, 'pushes'); rows.delete(id) }
    const list = $('push-list')
    let place = list.firstChild
    for (const push of found) {
      let row = rows.get(push.id)
      if (!row) rows.set(push.id, row = makeRow(push))
      if (row.node === place) place = place.nextSibling
      else list.insertBefore(row.node, place)
      row.update()
    }
  }
  const kept = count === pushes.size ? many(count, 'push', 'pushes') + ' kept'
    : count.toLocaleString('en') + ' of ' + many(pushes.size, 'push', 'pushes') + ' kept'
  put($('pushes-count'), (count > drawnPushes ? 'first ' + drawnPushes + ' of ' : '') + kept
    + (passedOver ? ', ' + passedOver.toLocaleString('en') + ' passed over: too many to show' : '')
    + (isPaused ? ', paused' : ''))
  $('pushes-more').hidden = count <= fewPushes
  $('push-head').hidden = rows.size === 0
  $('pushes-empty').hidden = rows.size > 0
  put($('pushes-empty'), pushes.size ? 'No push fits the filter.' : 'No push so far.')
}

const answerOf = push => push.status === null ? 'No answer' : push.status + (push.reason ? ' ' + push.reason : '')
const eventOf = push => payloadOf(push)?.event
const makeRow = push => {
  const cell = (text, name, title) => el('span', { class: name, title }, text)
  const kind = plain(push.pushType ?? push.kind, 32), event = eventOf(push)
  const to = push.token ?? push.channel ?? ''
  const answer = cell('', push.status === 200 ? undefined : 'r-bad'), outcome = cell('')
  const summary = el('summary', {},
    el('span', {}, el('time', { datetime: push.arrivedAt, title: push.arrivedAt }, timeOfDay(push.arrivedAt))),
    cell(kind + (typeof event === 'string' ? ' ' + plain(event, 16) : '')),
    el('span', { title: plain(to, 200) }, el('span', { class: 'mono' }, short(to)), ' ' + plain(push.topic ?? '', 80)),
    answer, outcome)
  const inside = el('div', { class: 'inside' }), details = el('details', {}, summary, inside)
  details.addEventListener('toggle', () => {
    if (details.open && !inside.firstChild) fill(inside, push)
    if (!details.open) inside.replaceChildren()
  })
  const update = () => {
    const words = [push.outcome, push.lateOutcome && 'then ' + push.lateOutcome, push.fault && 'fault ' + push.fault]
    put(answer, plain(answerOf(push), 60))
    put(outcome, plain(words.filter(word => word).join(', ') || '–', 80))
    if (push.fault !== null) outcome.className = 'r-fault'
  }
  return { node: el('li', {}, details), update }
}

const facts = pairs => el('dl', { class: 'facts' }, ...pairs.flatMap(
  ([name, value]) => [el('dt', {}, plain(name, 128)), el('dd', {}, plain(value, 8192))]))
// Whoever looks over a shoulder should not be able to push with it.
const secret = ([name, value]) => [name, name === 'authorization' ? String(value).replace(/\S{24,}/g, short) : value]
const fill = (inside, push) => {
  const told = [['Arrived', push.arrivedAt], ['Token', push.token], ['Channel', push.channel], ['Topic', push.topic],
    ['Environment', push.environment], ['Connection, stream', push.connection + ', ' + push.stream],
    ['apns-id', push.apnsId], ['Answer', answerOf(push)],
    ['Because', push.causeText],
    ['Outcome', push.outcome], ['Later', push.lateOutcome],
    ['Fault', push.fault === null ? null : push.fault + ' (' + push.faultAction + ')'],
    ['Held back', push.delayMilliseconds ? push.delayMilliseconds + ' ms' : null],
    ['Warnings', push.warnings.length ? push.warnings.join(', ') : null]]
  const body = push.payload === null && push.payloadBase64 !== undefined
    ? plain(push.payloadBase64, 16384) : pretty(push.payload)
  inside.append(
    facts(told.filter(([, value]) => value !== null && value !== undefined)),
    el('div', {}, el('h3', {}, push.payload === null ? 'Body, no JSON, in Base64' : 'Payload'),
      el('pre', { tabindex: 0, role: 'region', 'aria-label': 'Payload' }, body || '(empty)')),
    el('div', {}, el('h3', {}, 'Headers'), facts(Object.entries(push.headers).slice(0, 64).map(secret))))
}

const sayPushes = () => say($('pushes-count').textContent)
$('pause').addEventListener('click', () => {
  isPaused = !isPaused
  $('pause').setAttribute('aria-pressed', isPaused)
  drawPushes()
})
$('more').addEventListener('click', () => {
  drawnPushes = drawnPushes === fewPushes ? keptPushes : fewPushes
  put($('more'), drawnPushes === fewPushes ? 'Show all kept' : 'Show fewer')
  drawPushes()
})
for (const id of ['push-search', 'push-answer']) {
  $(id).addEventListener('input', () => { draw(drawPushes); draw(sayPushes) })
}
$('push-filter').addEventListener('submit', event => event.preventDefault())
