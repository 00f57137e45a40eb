// What a card shows of a content state, and how one is drawn.

// The usual names of what a card shows, until a schema says which of them it is.
const slots = {
  title: ['title', 'sessionTitle', 'taskTitle', 'sessionName', 'jobName', 'name', 'task', 'heading', 'label'],
  status: ['status', 'state', 'phase', 'stage', 'statusText', 'step'],
  body: ['body', 'message', 'lastMessage', 'subtitle', 'detail', 'details', 'summary', 'description', 'text',
    'currentTool', 'activity'],
  progress: ['progress', 'progressFraction', 'fraction', 'percent', 'percentage'],
  since: ['since', 'startedAt', 'startDate', 'startTime', 'started'],
}
const wordOf = value => {
  if (typeof value === 'string') return value.trim() || undefined
  if (typeof value === 'number') return String(value)
  // An enum with associated values is an object with one key.
  const keys = value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
  return keys.length === 1 && typeof value[keys[0]] === 'object' ? keys[0] : undefined
}
const find = (places, names, read) => {
  for (const place of places) for (const name of names) {
    if (place === null || typeof place !== 'object' || !Object.hasOwn(place, name)) continue
    const value = read(place[name])
    if (value !== undefined) return value
  }
}
const shareOf = value => typeof value !== 'number' || !(value >= 0) ? undefined
  : value <= 1 ? value : value <= 100 ? value / 100 : undefined
// Unix seconds or milliseconds, seconds since 2001 as Codable writes a Date, or a text.
const dateOf = value => {
  if (typeof value === 'string') return isNaN(Date.parse(value)) ? undefined : Date.parse(value)
  if (typeof value !== 'number') return undefined
  if (value > 1e12) return value < 4e12 ? value : undefined
  if (value > 1e9) return value < 4e9 ? value * 1000 : undefined
  return value > 3e8 ? (value + 978307200) * 1000 : undefined
}
// What the schema says that a card shows (docs/schemas.md, Cards); a place of which a value is missing shows nothing.
const walk = (value, pointer) => pointer.split('/').slice(1).map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  .reduce((place, key) => {
    if (typeof place === 'string') try { place = JSON.parse(place) } catch { return undefined }
    return place !== null && typeof place === 'object' && Object.hasOwn(place, key) ? place[key] : undefined
  }, value)
const valueAt = (text, content) => text.startsWith('attributes#')
  ? walk(content.attributes, text.slice(11)) : walk(content.state, text)
const isAlone = template => !template.includes('{') && /^(\/|attributes#)/.test(template)
const isTable = value => value !== null && typeof value === 'object' && !Array.isArray(value)
const templatesOf = place => [isTable(place) ? place.at : place].flat().filter(one => typeof one === 'string')
const fillIn = (place, content) => {
  const words = isTable(place) && isTable(place.words) ? place.words : {}
  for (const template of templatesOf(place)) {
    let isWhole = true
    const text = (isAlone(template) ? '{' + template + '}' : template).replace(/\{([^}]*)\}/g, (_, pointer) => {
      const value = valueAt(pointer, content)
      if (value === undefined || value === null || value === '' || typeof value === 'object') isWhole = false
      return Object.hasOwn(words, String(value)) ? words[value] : String(value)
    })
    if (isWhole) return text
  }
}
const numberAt = (place, content) => {
  const template = templatesOf(place)[0] ?? ''
  const value = isAlone(template) ? valueAt(template, content) : undefined
  return typeof value === 'number' ? { value, pointer: template } : undefined
}
const cardBySchema = (schema, content) => {
  const layout = schema['x-card'], card = {}
  for (const slot of ['title', 'status', 'body']) if (layout[slot]) card[slot] = fillIn(layout[slot], content)
  const progress = numberAt(layout.progress, content), since = numberAt(layout.since, content)
  if (progress) {
    const { minimum = 0, maximum = 1 } = walk(schema, progress.pointer.replaceAll('/', '/properties/')) ?? {}
    card.progress = Math.min(1, Math.max(0, (progress.value - minimum) / (maximum - minimum)))
  }
  if (since) card.since = dateOf(since.value) ?? mockNow() - since.value * 1000
  return card
}

const cardOf = (record, content) => {
  if (!content) return null
  if (record.schema?.['x-card']) return cardBySchema(record.schema, content)
  const inner = Object.values(content.state ?? {}).filter(value => value && typeof value === 'object').slice(0, 8)
  const places = [content.state, ...inner], all = [...places, content.attributes]
  const card = {
    title: find(all, slots.title, wordOf), status: find(places, slots.status, wordOf),
    body: find(places, slots.body, wordOf), progress: find(places, slots.progress, shareOf),
    since: find(all, slots.since, dateOf),
  }
  if (card.title === undefined && card.body === undefined) card.body = Object.values(content.state ?? {}).find(
    value => typeof value === 'string' && value !== card.status)
  return card
}

// MARK: One card

const tiles = ['#44566c', '#7a3e62', '#2f6650', '#7a5518', '#5a4b92', '#8a3d2c', '#256a86', '#59642a']
const sumOf = text => { let sum = 7; for (const sign of text) sum = (sum * 31 + sign.codePointAt(0)) >>> 0; return sum }
const marks = { stale: 'Out of date', ended: 'Ended', dismissed: 'Left the screen', idle: 'No Live Activity',
  unseen: 'Never on the screen' }
const badges = { active: 'ok', stale: 'warn' }

const makeCard = token => {
  const part = (tag, name) => el(tag, { class: name })
  const islandIcon = part('span', 'icon'), islandText = part('span', '')
  const icon = part('span', 'icon'), name = part('span', 'name'), status = part('span', 'status')
  const body = part('p', 'body'), none = part('p', 'none'), age = part('p', 'age'), mark = part('p', 'mark')
  const bar = el('i'), track = el('div', { class: 'track', role: 'progressbar', 'aria-label': 'Progress',
    'aria-valuemin': 0, 'aria-valuemax': 100 }, bar)
  const who = part('h3', 'who'), badge = part('span', 'badge'), app = part('p', 'app'), count = part('p', 'count')
  const code = part('pre', ''), content = el('details', {}, el('summary', {}, 'Content state'), code)
  const more = el('button', { type: 'button', class: 'link', click: () => act(token) })
  for (const one of [islandIcon, icon]) { one.setAttribute('aria-hidden', 'true') }
  const island = el('div', { class: 'island', 'aria-hidden': 'true' }, islandIcon, islandText)
  const lock = el('div', { class: 'lock' },
    el('div', { class: 'row' }, icon, name, status), body, track, none, age, mark)
  const node = el('li', { class: 'phone' }, el('div', { class: 'screen' }, island, lock),
    el('div', { class: 'below' }, el('div', { class: 'row' }, who, badge), app,
      el('div', { class: 'row' }, count, more), content))
  let drawn = null, shown = -1, text = ''
  const update = (record, now) => {
    // One that started with a stale-date that had passed lives, and its card is never presented.
    const state = stateOf(record, now), look = record.presented === false ? 'unseen' : state
    const held = contents.get(token), card = cardOf(record, held)
    const topic = record.topic ?? '', appName = topic.split('.').pop() || 'app'
    node.dataset.state = look
    if (drawn !== topic) {
      drawn = topic
      for (const one of [islandIcon, icon]) {
        put(one, plain([...appName][0] ?? '?', 2))
        one.style.setProperty('--tile', tiles[sumOf(topic) % tiles.length])
      }
    }
    put(name, plain(card?.title ?? appName, 80))
    status.hidden = card?.status === undefined
    put(status, plain(card?.status ?? '', 40))
    body.hidden = card?.body === undefined
    put(body, plain(card?.body ?? '', 240))
    track.hidden = card?.progress === undefined
    if (!track.hidden) {
      const percent = Math.round(card.progress * 100)
      bar.style.width = percent + '%'
      track.setAttribute('aria-valuenow', percent)
    }
    none.hidden = card !== null
    put(none, 'What it shows came before the pushes this page has read.')
    put(age, ageOf(record, card, now))
    put(mark, marks[look] ?? '')
    mark.hidden = !marks[look]
    put(islandText, plain(card?.progress !== undefined ? Math.round(card.progress * 100) + ' %'
      : card?.status ?? record.lastEvent ?? '', 24))
    const phone = devices.get(token) ?? record.phone
    put(who, plain(phone ?? 'Phone of ' + short(token), 64))
    badge.className = 'badge ' + (badges[state] ?? 'calm')
    put(badge, state)
    put(app, plain(topic + (record.about ? ', ' + record.about : ''), 200))
    app.title = record.about ?? token
    put(count, many(record.shown, 'push', 'pushes') + (look === 'unseen' ? ' taken' : ' shown')
      + (record.ignored ? ', ' + record.ignored.toLocaleString('en') + ' ignored' : ''))
    more.hidden = state === 'idle'
    content.hidden = !held
    if (held && content.open && text !== held.state) { text = held.state; put(code, pretty(held.state)) }
    put(more, held ? 'Its pushes' : 'Find its last push')
    if (shown >= 0 && record.shown !== shown) {
      lock.classList.remove('fresh')
      requestAnimationFrame(() => lock.classList.add('fresh'))
    }
    shown = record.shown
  }
  content.addEventListener('toggle', () => {
    const held = contents.get(token)
    if (content.open && held) put(code, pretty(held.state))
  })
  return { node, update }
}

const ageOf = (record, card, now) => {
  if (record.startedAt === null) return ''
  const at = record.lastTimestamp === null ? milliseconds(record.startedAt) : record.lastTimestamp * 1000
  const parts = []
  if (card?.since !== undefined) parts.push('Running ' + spell((now - card.since) / 1000))
  const age = (now - at) / 1000
  parts.push(age > -1 ? 'updated ' + spell(age) + ' ago' : 'dated ' + spell(-age) + ' ahead')
  const stale = milliseconds(record.staleAt)
  if (stale > now && record.state === 'active') parts.push('stale in ' + spell((stale - now) / 1000))
  const text = parts.join(', ')
  return text[0].toUpperCase() + text.slice(1)
}

// The pushes of one activity: those the page has, or else all of them from the journal, a page at a time.
const act = async token => {
  if (contents.has(token)) {
    $('push-search').value = token
    drawPushes()
    $('pushes').focus()
    $('pushes').scrollIntoView({ block: 'start' })
    return
  }
  say('Reading the journal.')
  try {
    let since = ''
    for (let step = 0; step < 50 && since !== null; step += 1) {
      const found = await ask('/v1/pushes?limit=1000&token=' + token + '&since=' + encodeURIComponent(since))
      found.pushes.forEach(adopt)
      since = found.pushes.length < 1000 ? null : found.next
    }
    say(contents.has(token) ? 'Its content was found.' : 'No push that it showed is in the journal.')
    draw(drawPhones)
  } catch (error) { trouble(error.message) }
}
