// The live page's script, second part: which phones there are, what their cards show, and which of them are drawn.

extension LivePage {
    static let phoneScript = #"""

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
        const cardOf = (record, content) => {
          if (record.card && typeof record.card === 'object') return { ...record.card, progress: shareOf(record.card.progress),
            since: dateOf(record.card.since) }
          if (!content) return null
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
          for (const [token, card] of cards) if (!tokens.has(token)) { card.node.remove(); cards.delete(token) }
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
        const turn = step => { page += step; shownOrder = ''; drawPhones(); $('phones').scrollIntoView({ block: 'start' }) }
        $('page-back').addEventListener('click', () => turn(-1))
        $('page-on').addEventListener('click', () => turn(1))
        for (const id of ['phone-search', 'phone-state', 'phone-order']) {
          $(id).addEventListener('input', () => { page = 0; shownOrder = ''; draw(drawPhones) })
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
            ...activity, topic: app.bundle, lastEvent: null, lastTimestamp: activity.shownTimestamp, phone: phone.id,
            about: [app.state, app.liveActivities ? null : 'Live Activities off',
              activity.tokenKnown ? null : 'app has no token',
              activity.presented ? null : 'never on the screen'],
          })))
          if (!found.length) found.push({ token: 'phone ' + phone.id, topic: phone.apps[0]?.bundle ?? null, state: 'idle',
            lastEvent: null, lastTimestamp: null, startedAt: null, staleAt: null, dismissedAt: null, shown: 0, ignored: 0,
            phone: phone.id, about: phone.apps.map(app => app.state) })
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

        """#

    static let cardScript = #"""

        // MARK: One card

        const tiles = ['#44566c', '#7a3e62', '#2f6650', '#7a5518', '#5a4b92', '#8a3d2c', '#256a86', '#59642a']
        const sumOf = text => { let sum = 7; for (const sign of text) sum = (sum * 31 + sign.codePointAt(0)) >>> 0; return sum }
        const marks = { stale: 'Out of date', ended: 'Ended', dismissed: 'Left the screen', idle: 'No Live Activity' }
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
            const state = stateOf(record, now), held = contents.get(token), card = cardOf(record, held)
            const topic = record.topic ?? '', appName = topic.split('.').pop() || 'app'
            node.dataset.state = state
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
            put(mark, marks[state] ?? '')
            mark.hidden = !marks[state]
            put(islandText, plain(card?.progress !== undefined ? Math.round(card.progress * 100) + ' %'
              : card?.status ?? record.lastEvent ?? '', 24))
            const phone = devices.get(token) ?? record.phone
            put(who, plain(phone ?? 'Phone of ' + short(token), 64))
            badge.className = 'badge ' + (badges[state] ?? 'calm')
            put(badge, state)
            put(app, plain(topic + (record.about ? ', ' + record.about : ''), 200))
            app.title = record.about ?? token
            put(count, many(record.shown, 'push', 'pushes') + ' shown'
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

        """#
}
