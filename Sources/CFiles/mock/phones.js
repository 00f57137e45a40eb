// Which phones there are, what their cards show, and which of them are drawn.

// Activities by their token, as the mock tells of them; what was shown last, and on which phone they are.
const activities = new Map(), contents = new Map(), devices = new Map()
const keptActivities = 10000, keptContents = 5000, cardsPerPage = 12
const keep = (map, key, value, limit) => {
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value)
}

const learn = record => {
  const before = activities.get(record.token)
  const isChanged = !before || before.shown !== record.shown || before.state !== record.state
  if (!before && activities.size >= keptActivities) return
  activities.set(record.token, { ...record, changed: isChanged ? Date.now() : before.changed, order: order(record) })
}
const order = record => milliseconds(record.startedAt) || 0

// Whether the card is stale, or has left the screen, by the mock's clock as it is now.
const stateOf = (record, now) => {
  if (record.state === 'ended' && milliseconds(record.dismissedAt) <= now) return 'dismissed'
  if (record.state === 'active' && milliseconds(record.staleAt) <= now) return 'stale'
  return record.state
}

// MARK: What a card shows

const appliedOutcomes = new Set(['started', 'updated', 'ended'])
const payloadOf = push => push.payload && typeof push.payload === 'object' ? push.payload.aps : undefined
const adopt = push => {
  const aps = payloadOf(push)
  if (!aps || push.kind !== 'push' || !push.token || typeof aps['content-state'] !== 'object') return
  if (!appliedOutcomes.has(push.lateOutcome ?? push.outcome)) return
  const token = push.token.toLowerCase(), before = contents.get(token)
  if (before && before.timestamp > aps.timestamp) return
  keep(contents, token, {
    state: aps['content-state'], timestamp: aps.timestamp,
    attributes: aps.attributes ?? before?.attributes, type: aps['attributes-type'] ?? before?.type,
  }, keptContents)
}

// MARK: Which are drawn

let page = 0
const wanted = now => {
  const text = $('phone-search').value.trim().toLowerCase(), state = $('phone-state').value
  const found = []
  for (const record of activities.values()) {
    if (state && stateOf(record, now) !== state) continue
    if (text && !haystack(record).includes(text)) continue
    found.push(record)
  }
  const by = $('phone-order').value
  found.sort(by === 'new' ? (a, b) => b.changed - a.changed : by === 'old' ? (a, b) => a.changed - b.changed
    : (a, b) => b.order - a.order || (a.token < b.token ? -1 : 1))
  return found
}
const haystack = record => {
  const content = contents.get(record.token)
  content && (content.text ??= JSON.stringify(content.state).slice(0, 2000).toLowerCase())
  return record.token + ' ' + (record.topic ?? '').toLowerCase() + ' '
    + String(devices.get(record.token) ?? record.phone ?? '').toLowerCase() + ' ' + (content?.text ?? '')
}

const cards = new Map()
let shownOrder = ''
const drawPhones = () => {
  const now = mockNow(), found = wanted(now)
  const pages = Math.max(1, Math.ceil(found.length / cardsPerPage))
  page = Math.min(page, pages - 1)
  const shown = found.slice(page * cardsPerPage, (page + 1) * cardsPerPage)
  const tokens = new Set(shown.map(record => record.token))
  for (const [token, card] of cards) if (!tokens.has(token)) { takeAway(card.node, 'phones'); cards.delete(token) }
  for (const record of shown) {
    if (!cards.has(record.token)) cards.set(record.token, makeCard(record.token))
    cards.get(record.token).update(record, now)
  }
  // A card does not move from under the hand or the keyboard.
  const list = $('cards'), wish = shown.map(record => record.token).join()
  if (wish !== shownOrder && !(list.matches(':hover, :focus-within') && list.children.length === shown.length)) {
    shown.forEach((record, place) => {
      const node = cards.get(record.token).node
      if (list.children[place] !== node) list.insertBefore(node, list.children[place] ?? null)
    })
    shownOrder = wish
  }
  let total = 0
  for (const record of activities.values()) if (record.state !== 'idle') total += 1
  const all = many(total, 'activity', 'activities')
    + (phoneTokens.size ? ' on ' + many(phoneTokens.size, 'phone', 'phones') : '')
  put($('phones-count'), found.length === activities.size ? all : found.length.toLocaleString('en') + ' of ' + all)
  $('cards-empty').hidden = found.length > 0
  put($('cards-empty'), activities.size ? 'No phone fits the filter.'
    : 'No Live Activity so far. A start or an update makes one.')
  $('pager').hidden = pages < 2
  put($('page-at'), 'Page ' + (page + 1) + ' of ' + pages)
  $('page-back').disabled = page === 0
  $('page-on').disabled = page === pages - 1
  for (const record of shown) findDevice(record.token)
}
const sayPhones = () => say($('phones-count').textContent)
const turn = step => { page += step; shownOrder = ''; drawPhones(); $('phones').scrollIntoView({ block: 'start' }) }
$('page-back').addEventListener('click', () => turn(-1))
$('page-on').addEventListener('click', () => turn(1))
for (const id of ['phone-search', 'phone-state', 'phone-order']) {
  $(id).addEventListener('input', () => { page = 0; shownOrder = ''; draw(drawPhones); draw(sayPhones) })
}
$('phone-filter').addEventListener('submit', event => event.preventDefault())

// Which phone a token is on is asked once, and only for cards that are drawn.
const findDevice = async token => {
  if (devices.has(token) || activities.get(token)?.phone) return
  keep(devices, token, null, keptActivities)
  try {
    const record = await ask('/v1/tokens/' + token)
    if (record.device) { devices.set(token, record.device); draw(drawPhones) }
  } catch { devices.delete(token) }
}

// A phone that the mock has as an object, as records of the same shape: one for each activity, or one without.
const recordsOf = phone => {
  const found = phone.apps.filter(app => app.installed).flatMap(app => app.activities.map(activity => ({
    ...activity, topic: app.bundle, schema: app.schema?.contentState, lastEvent: null,
    lastTimestamp: activity.shownTimestamp, phone: phone.id, startToken: app.startToken,
    about: [app.state, app.liveActivities ? null : 'Live Activities off',
      activity.tokenKnown ? null : 'app has no token',
      activity.presented ? null : 'never on the screen'],
  })))
  if (!found.length) found.push({ token: 'phone ' + phone.id, topic: phone.apps[0]?.bundle ?? null, state: 'idle',
    lastEvent: null, lastTimestamp: null, startedAt: null, staleAt: null, dismissedAt: null, shown: 0, ignored: 0,
    phone: phone.id, about: phone.apps.map(app => app.installed ? app.state : 'not installed') })
  const about = ['iOS ' + phone.ios, phone.connection, phone.lowPower ? 'Low Power' : null,
    phone.stored ? phone.stored + ' stored' : null]
  return found.map(record => ({ ...record, about: [...about, ...record.about].filter(word => word).join(', ') }))
}
const phoneTokens = new Map()
const learnPhone = phone => {
  const records = recordsOf(phone), tokens = new Set(records.map(record => record.token))
  for (const token of phoneTokens.get(phone.id) ?? []) if (!tokens.has(token)) activities.delete(token)
  phoneTokens.set(phone.id, tokens)
  for (const record of records) {
    learn(record)
    keep(devices, record.token, phone.id, keptActivities)
    if (record.contentState !== null && typeof record.contentState === 'object') {
      keep(contents, record.token, { state: record.contentState, timestamp: record.shownTimestamp }, keptContents)
    }
  }
}
const forgetPhone = id => {
  for (const token of phoneTokens.get(id) ?? []) activities.delete(token)
  phoneTokens.delete(id)
}

// Phones that something happened on are asked for again, all at once, a second later, and few at a time.
const duePhones = new Set()
let isAskingPhones = false
const phoneIsDue = id => {
  if (duePhones.size < 100) duePhones.add(id)
  if (isAskingPhones) return
  isAskingPhones = true
  setTimeout(async () => {
    const ids = [...duePhones]
    duePhones.clear()
    for (const id of ids) await ask('/v1/phones/' + encodeURIComponent(id)).then(learnPhone, () => forgetPhone(id))
    isAskingPhones = false
    draw(drawPhones)
  }, 1000)
}

const hasPhones = Object.hasOwn(document.documentElement.dataset, 'phones')
const allPhones = async () => {
  const found = []
  for (let after = '0'; hasPhones && after !== null && found.length < keptActivities;) {
    const part = await ask('/v1/phones?limit=1000&after=' + after)
    found.push(...part.phones)
    after = part.next
  }
  return found
}
let phonesAskedAt = -Infinity
const askPhones = async () => {
  phonesAskedAt = performance.now()
  const [{ activities: list }, phones] = await Promise.all(
    [ask('/v1/activities?limit=' + keptActivities), allPhones()])
  const known = new Set([...list, ...phones.flatMap(recordsOf)].map(record => record.token))
  for (const token of [...activities.keys()]) if (!known.has(token)) activities.delete(token)
  phoneTokens.clear()
  list.forEach(learn)
  phones.forEach(learnPhone)
  draw(drawPhones)
}
