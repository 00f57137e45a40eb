// The event stream, the counters, and what is asked now and then.

// MARK: Events

const heard = {
  push: push => {
    addPush(push)
    adopt(push)
    const phone = activities.get((push.token ?? '').toLowerCase())?.phone
    if (phone) phoneIsDue(phone)
    draw(drawPushes)
    draw(drawPhones)
  },
  outcome: ({ push: id, outcome }) => {
    const push = pushes.get(id)
    if (!push) return
    push.lateOutcome = outcome
    adopt(push)
    draw(drawPushes)
    draw(drawPhones)
  },
  activity: record => { learn(record); draw(drawPhones) },
  token: ({ token, record }) => {
    if (record === null) { activities.delete(token); contents.delete(token); devices.delete(token) }
    else keep(devices, token, record.device, keptActivities)
    draw(drawPhones)
  },
  fault: heardFault,
  clock: heardClock,
  phone: ({ phone }) => { if (hasPhones && phone) phoneIsDue(phone) },
  reset: () => forgetAll(),
  gap: ({ pushes: count }) => { passedOver += count; phonesAskedAt = -Infinity; draw(drawPushes) },
}

const forgetAll = () => {
  for (const map of [activities, contents, devices, pushes, rules, phoneTokens]) map.clear()
  passedOver = 0
  for (const one of [drawPhones, drawPushes, drawFaults]) draw(one)
}

const hear = frame => {
  let name = 'message', data = []
  for (const line of frame.split('\n')) {
    if (line.startsWith('event:')) name = line.slice(6).trim()
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
  }
  if (data.length && Object.hasOwn(heard, name)) heard[name](JSON.parse(data.join('\n')))
}

const live = (word, kind) => { put($('live'), word); $('live').className = 'badge ' + kind }
// A frame is bounded by what a push may hold; more without an end is no stream of ours.
const longestFrame = 1 << 24
const listen = async () => {
  for (;;) {
    try {
      // Before the newest pushes are told: behind the address may stand another mock by now.
      await askInfo()
      const answer = await request('/v1/events?last=200', { headers: { accept: 'text/event-stream' } })
      if (!answer.ok) throw new Error((JSON.parse(await answer.text()).error ?? {}).message ?? 'HTTP ' + answer.status)
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      live('Live', 'ok')
      trouble('')
      refreshAll()
      let text = ''
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        text += value
        if (text.length > longestFrame) { await reader.cancel(); throw new Error('a frame without an end') }
        const frames = text.split('\n\n')
        text = frames.pop()
        for (const frame of frames) hear(frame)
      }
      live('Not connected', 'warn')
    } catch (error) {
      live('Not connected', 'warn')
      trouble('The mock does not answer: ' + error.message + '. Trying again.')
    }
    await new Promise(resolve => setTimeout(resolve, 2000))
  }
}

// MARK: Asked now and then

const tileNodes = new Map()
const drawCounts = statistics => {
  const pairs = [['Pushes', statistics.pushes], ['Accepted', statistics.byStatus['200'] ?? 0],
    ['Refused', Object.entries(statistics.byStatus).reduce(
      (sum, [status, count]) => sum + (status === '200' ? 0 : count), 0)],
    ['Faults fired', statistics.faultsFired], ['Unanswered', statistics.openStreams],
    ['Tokens', statistics.knownTokens]]
  for (const [name, count] of pairs) {
    if (!tileNodes.has(name)) {
      const value = el('dd')
      tileNodes.set(name, value)
      $('counts').append(el('div', {}, el('dt', {}, name), value))
    }
    put(tileNodes.get(name), count.toLocaleString('en'))
  }
}
let told = null
const askInfo = async () => {
  const info = await ask('/v1/info')
  put($('title'), 'APNs ' + plain(info.environment, 20))
  const which = info.startedAt + ' ' + info.journal
  if (told !== which) {
    // A mock that was started anew counts from 0 and may have another journal.
    if (told !== null) forgetAll()
    told = which
    $('where').replaceChildren(
      ...['at ' + info.apns, 'key ' + info.keyId, 'team ' + info.teamId, 'tokens: ' + info.tokens].map(
        text => el('span', {}, plain(text, 120))))
  }
  drawCounts(info.statistics)
}

// Each for itself: one that fails keeps none of the others.
const askClock = async () => heardClock(await ask('/v1/clock'))
const refreshAll = () => Promise.all([askInfo, askPhones, askFaults, askClock]
  .map(one => one().catch(error => trouble(error.message))))
const everySecond = () => {
  if (document.hidden) return
  drawClock()
  drawPhones()
}
const everyTwoSeconds = async () => {
  if (!document.hidden && $('live').textContent === 'Live') {
    // The more there are, the less often they are all asked for.
    const pause = activities.size > 1000 ? 30000 : 10000
    const due = performance.now() - phonesAskedAt > pause ? [askInfo, askPhones, askFaults, askClock] : [askInfo]
    // One that is stepped goes on while others work, and says so to nobody.
    if (clock?.isStill && !due.includes(askClock)) due.push(askClock)
    await Promise.all(due.map(one => one().catch(() => {})))
  }
  setTimeout(everyTwoSeconds, 2000)
}

for (const one of [drawPhones, drawPushes, drawFaults]) one()
setInterval(everySecond, 1000)
setTimeout(everyTwoSeconds, 2000)
listen()
