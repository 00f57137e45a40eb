'use strict'
// A push relay for opencode-ios: sessions of coding work as Live Activities. Node's standard library alone.
const fs = require('fs')
const http = require('http')
const http2 = require('http2')
const crypto = require('crypto')
const { performance } = require('perf_hooks')

const env = process.env
const config = {
  listen: env.LISTEN || `127.0.0.1:${env.PORT || 8787}`,
  hosts: { production: env.APNS, sandbox: env.APNS_SANDBOX || env.APNS },
  ca: env.APNS_CA ? fs.readFileSync(env.APNS_CA) : undefined,
  key: crypto.createPrivateKey(fs.readFileSync(env.APNS_KEY)),
  keyId: env.APNS_KEY_ID,
  teamId: env.APNS_TEAM_ID,
  topic: env.APNS_TOPIC || 'com.opencode.ios',
  store: env.STORE || 'relay.jsonl',
  clock: env.CLOCK || '',
  window: Number(env.WINDOW_MS || 10000)
}
const variant = env.VARIANT || 'honest-0'
const honest = n => variant === `honest-${n}`
const defect = n => variant === `defect-${String(n).padStart(2, '0')}`

const make = {
  keysTurned: honest(1), explicitNull: honest(1), noExpiration: honest(1),
  connections: honest(2) ? 3 : 1,
  answersLast: honest(3),
  onePerSession: honest(4),
  backoff: honest(5) ? { first: 1500, growth: 1.6, most: 40000 } : { first: 1000, growth: 2, most: 32000 },
  timeout: honest(5) ? 15000 : 10000,
  renewAfter: honest(5) ? 3300 : 2400,
  everyPushOpensWindow: honest(6), refusesLongFiles: honest(6)
}
const END_AFTER = (7 * 60 + 59) * 60000
const FILE_CHARACTERS = 800
const PAYLOAD_BYTES = 4096
const SINCE_2001 = 978307200

// ---------------------------------------------------------------------------------------------------------------- clock
// The machine's clock, one that runs faster, or one that a test leads step by step. `mono` is in milliseconds, `wall` since 1970.
class Clock {
  constructor (setting) {
    this.timers = []; this.scale = 1; this.baseMono = 0; this.baseReal = performance.now(); this.wallOffset = null
    this.taken = 0; this.answered = 0; this.sent = 0; this.settled = 0; this.busy = 0
    const faster = /^scale=([\d.]+),at=(-?[\d.]+),shows=(-?[\d.]+)/.exec(setting)
    if (faster) {
      this.scale = Number(faster[1])
      const at = Number(faster[2]), shows = Number(faster[3])
      this.readWall = () => shows + (Date.now() - at) * this.scale
    } else if (/^http/.test(setting)) { this.url = setting.replace(/\/$/, ''); this.agent = new http.Agent({ keepAlive: true }) }
  }
  get led () { return Boolean(this.url) }
  get stands () { return this.led && this.scale === 0 }
  mono () { return this.scale === 0 ? this.baseMono : this.baseMono + (performance.now() - this.baseReal) * this.scale }
  wall () { if (this.led) return this.wallOffset + this.mono(); return this.readWall ? this.readWall() : Date.now() }

  post (path, body) {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const request = http.request(this.url + path, {
        method: 'POST', agent: this.agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      }, response => {
        const parts = []
        response.on('data', part => parts.push(part))
        response.on('end', () => { try { resolve(JSON.parse(Buffer.concat(parts).toString())) } catch (error) { reject(error) } })
      })
      request.on('error', reject)
      request.end(text)
    })
  }
  async join () {
    if (!this.led) return
    const answer = await this.post('/v1/clock/participants', { name: 'relay' })
    this.id = answer.id
    this.hear(answer)
    this.touch()
  }
  hear (answer) {
    this.elapsed = answer.elapsed; this.scale = answer.scale; this.baseMono = answer.elapsed / 1000
    this.baseReal = performance.now(); this.wallOffset = answer.wall / 1000 - this.baseMono; this.arm()
  }

  // Something has happened: once all of it is done, say what we wait for.
  touch () {
    if (!this.id || this.touched) return
    this.touched = true
    setImmediate(() => setImmediate(() => {
      this.touched = false
      if (this.busy === 0) this.tell()
    }))
  }
  async tell () {
    const number = this.told = (this.told || 0) + 1
    const next = this.timers.length ? Math.ceil(this.timers[0].at * 1000) : null
    let answer
    try {
      answer = await this.post(`/v1/clock/participants/${this.id}`, {
        elapsed: this.elapsed,
        until: next === null ? null : Math.max(next, this.elapsed + 1),
        calls: [this.taken, this.answered],
        pushes: [this.sent, this.settled]
      })
    } catch { if (number === this.told) setTimeout(() => this.touch(), 200); return }
    if (answer.elapsed === undefined) return
    if (answer.elapsed > this.elapsed || answer.scale !== this.scale) this.hear(answer)
    else if (number !== this.told) return
    else this.wallOffset = answer.wall / 1000 - answer.elapsed / 1000
    this.runDue(); this.touch()
  }
  at (when, work) {
    const timer = { at: when, work }
    let index = this.timers.length
    while (index > 0 && this.timers[index - 1].at > when) index--
    this.timers.splice(index, 0, timer)
    if (index === 0) this.arm()
    this.touch()
    return timer
  }
  after (delay, work) { return this.at(this.mono() + delay, work) }

  cancel (timer) {
    const index = timer ? this.timers.indexOf(timer) : -1
    if (index >= 0) { this.timers.splice(index, 1); this.touch() }
  }
  arm () {
    clearTimeout(this.alarm)
    if (this.stands || this.scale === 0 || !this.timers.length) return
    const wait = Math.max(0, (this.timers[0].at - this.mono()) / this.scale)
    this.alarm = setTimeout(() => { this.runDue(); this.arm() }, Math.min(Math.ceil(wait), 60000))
  }
  runDue () { while (this.timers.length && this.timers[0].at <= this.mono() + 0.0005) this.timers.shift().work() }
}
const clock = new Clock(config.clock)

// ---------------------------------------------------------------------------------------------------------------- store
// A line for each change, the last one counts. Written before anybody is answered.
const devices = new Map()     // by secret
const sessions = new Map()    // by secret and session
let providerToken = null      // { text, issued, forced }
const keyOf = (secret, sessionID) => JSON.stringify([secret, sessionID])

const store = {
  file: null,
  write (line) { fs.writeSync(this.file, JSON.stringify(line) + '\n') },
  open () {
    let text = ''
    try { text = fs.readFileSync(config.store, 'utf8') } catch {}
    for (const line of text.split('\n')) {
      if (!line) continue
      let item
      try { item = JSON.parse(line) } catch { continue }
      if (item.device) devices.set(item.device.secret, item.device)
      if (item.session) sessions.set(keyOf(item.session.secret, item.session.sessionID), new Session(item.session))
      if (item.provider && item.provider.kid === config.keyId) providerToken = item.provider
    }
    const fresh = config.store + '.new'
    this.file = fs.openSync(fresh, 'w', 0o600)
    for (const device of devices.values()) this.write({ device })
    for (const session of sessions.values()) this.write({ session: session.data })
    if (providerToken) this.write({ provider: providerToken })
    fs.fsyncSync(this.file)
    fs.renameSync(fresh, config.store)
  }
}
const saveDevice = device => store.write({ device })
const saveSession = session => store.write({ session: session.data })

// ------------------------------------------------------------------------------------------------------- provider token
const base64url = value => Buffer.from(value).toString('base64url')

function signProviderToken () {
  const issued = Math.floor(clock.wall() / 1000)
  const head = base64url(JSON.stringify({ alg: 'ES256', kid: config.keyId }))
  const body = base64url(JSON.stringify({ iss: config.teamId, iat: issued }))
  const signature = crypto.sign('sha256', Buffer.from(`${head}.${body}`), { key: config.key, dsaEncoding: 'ieee-p1363' })
  providerToken = { text: `${head}.${body}.${base64url(signature)}`, issued, kid: config.keyId, forced: providerToken ? providerToken.forced : 0 }
  store.write({ provider: providerToken })
}

function currentProviderToken () {
  const age = providerToken ? clock.wall() / 1000 - providerToken.issued : Infinity
  if (!providerToken || (age >= make.renewAfter && !defect(9))) signProviderToken()
  return providerToken.text
}

// APNs calls this token expired. Signed anew once in twenty minutes, for it may be our clock that is wrong.
function renewExpired (text) {
  if (text !== providerToken.text) return true
  const now = clock.wall() / 1000
  if (now - providerToken.forced < 1200) return false
  providerToken.forced = now; signProviderToken()
  return true
}

// ---------------------------------------------------------------------------------------------------------- connections
class Connection {
  constructor (host) {
    this.host = host
    this.waiting = []      // sessions that have something to send
    this.failures = 0; this.session = null
  }
  want (session) { if (!this.waiting.includes(session)) this.waiting.push(session); this.pump() }

  open () {
    if (this.opening || this.paused) return
    this.opening = true
    clock.busy++
    let counted = true
    const free = () => { if (counted) { counted = false; this.opening = false; clock.busy--; clock.touch() } }
    if (defect(10)) signProviderToken()
    const session = http2.connect(`https://${this.host}`, { ca: config.ca, settings: { enablePush: false } })
    const patience = setTimeout(() => session.destroy(), 8000)
    session.streams = new Set(); session.most = 1
    session.on('remoteSettings', settings => {
      session.most = settings.maxConcurrentStreams === undefined ? 100 : settings.maxConcurrentStreams
      if (!session.ready) {
        session.ready = true; clearTimeout(patience); this.session = session; free()
      }
      this.pump()
    })
    session.on('goaway', (code, last, data) => {
      console.log('goaway', code, data ? data.toString() : '')
      if (!session.useful) this.failures++
      this.leave(session)
    })
    session.on('error', error => console.log('connection', error.code || error.message))
    session.on('close', () => {
      clearTimeout(patience); clearInterval(session.beat)
      const never = !session.ready
      free()
      if (never || !session.useful) this.failures++
      this.leave(session, never)
    })
    if (!clock.led) { session.beat = setInterval(() => this.probe(session), 60000); session.beat.unref() }
  }

  // A connection that does not answer a PING is dead, whatever the socket says.
  probe (session) {
    if (session.closed || session.destroyed || session.probing) return
    session.probing = true
    const patience = setTimeout(() => session.destroy(), 4000)
    const good = session.ping(error => {
      session.probing = false; clearTimeout(patience)
      if (error && !session.destroyed) session.destroy()
    })
    if (!good) { clearTimeout(patience); session.probing = false }
  }

  // No new push goes by it; what is under way may still be answered.
  leave (session, never) {
    if (this.session === session) this.session = null
    else if (!never) return
    if (this.failures > 1 && !this.paused) {
      this.paused = true
      clock.after(Math.min(250 * 2 ** Math.min(this.failures - 2, 5), 5000), () => { this.paused = false; this.pump() })
    }
    this.pump()
  }
  retire (session) {
    if (this.session === session) this.session = null
    if (!session.closed && !session.destroyed) session.close()
    this.pump()
  }
  pump () {
    while (this.waiting.length) {
      const session = this.session
      if (!session || session.closed || session.destroyed) {
        this.session = null
        if (this.waiting.some(one => one.pick())) this.open()
        else this.waiting = []
        return
      }
      if (session.streams.size >= Math.max(1, session.most)) return
      const one = this.waiting.shift()
      const push = one.pick()
      if (!push) continue
      const place = connectionFor(push.env, one)
      if (place !== this) { place.want(one); continue }
      this.submit(session, push)
      this.waiting.push(one)
    }
  }
  submit (session, push) {
    const { owner } = push
    push.authorization = currentProviderToken()
    const body = owner.build(push)
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${push.token}`,
      authorization: `bearer ${push.authorization}`,
      'apns-id': push.id,
      'apns-push-type': 'liveactivity',
      'apns-topic': defect(7) && push.lane.tries > 0 ? config.topic : `${config.topic}.push-type.liveactivity`,
      'apns-priority': String(push.priority)
    }
    if (!make.noExpiration) headers['apns-expiration'] = String(Math.floor(clock.wall() / 1000) + (push.kind === 'end' ? 14400 : 3600))
    let stream
    try {
      stream = session.request(headers)
    } catch { this.leave(session); return }
    clock.sent++
    push.at = clock.mono(); push.wallAt = clock.wall()
    session.streams.add(push)
    owner.leaves(push)
    let status = null
    let over = false
    const parts = []
    const done = outcome => {
      if (over) return
      over = true
      clock.settled++
      session.streams.delete(push)
      clock.cancel(silence); clock.cancel(patience)
      if (outcome.status) session.useful = true
      if (outcome.status === 200) { this.failures = 0; this.wedged = 0 }
      if (outcome.status === 500 && ++this.wedged >= 3) { this.wedged = 0; this.retire(session) }
      if (outcome.reason === 'ExpiredProviderToken') this.retire(session)
      owner.settles(push, outcome)
      this.pump(); clock.touch()
    }
    const silence = clock.led ? null : clock.after(4000, () => this.probe(session))
    const patience = clock.after(make.timeout, () => {
      stream.close(http2.constants.NGHTTP2_CANCEL)
      this.retire(session)
      done({ lost: 'time-out' })
    })
    stream.on('response', answer => { status = answer[':status'] })
    stream.on('data', part => parts.push(part))
    stream.on('end', () => {
      if (status === null) return
      let answer = {}
      try { answer = JSON.parse(Buffer.concat(parts).toString() || '{}') } catch {}
      done({ status, reason: answer.reason, timestamp: answer.timestamp })
    })
    stream.on('error', () => {})
    stream.on('close', () => done({ lost: stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'gone' }))
    stream.end(body)
  }
}

const pools = new Map()
function connectionFor (environment, session) {
  const host = config.hosts[environment]
  if (!pools.has(host)) pools.set(host, Array.from({ length: make.connections }, () => new Connection(host)))
  const pool = pools.get(host)
  return pool[session.slot % pool.length]
}
const otherEnvironment = environment => {
  const other = environment === 'sandbox' ? 'production' : 'sandbox'
  return config.hosts[other] === config.hosts[environment] ? null : other
}

// -------------------------------------------------------------------------------------------------------------- sessions
const EMOJI = {
  Initializing: '🚀', Active: '⚡', Processing: '⚙️', Syncing: '🔄', 'Generating Code': '✨', Building: '🔨', Completing: '🏁',
  Completed: '✅', Error: '❌'
}
const newLane = () => ({ tries: 0, losses: 0, retryAt: 0, lastAt: -Infinity })

class Session {
  constructor (data) {
    this.data = data; this.lane = newLane(); this.startLane = newLane(); this.flying = new Set()
    this.slot = crypto.createHash('md5').update(data.sessionID).digest().readUInt16BE(0); this.listeners = []
    this.refused = 0
    this.again = []                 // only of defect 2 and 25
    this.endLanes = new Map()
  }
  static create (secret, sessionID) {
    const session = new Session({
      secret, sessionID, life: 0, running: false, begun: false, sessionType: null, startTime: null, token: null, tokenAt: 0, tokenEnv: null,
      cardAt: 0, cardDead: false, cardOut: false, startDue: false, startVersion: 0, version: 0, told: 0, state: null, current: null, urgent: null,
      opening: null, ends: [], lastStamp: 0, progressVersion: 0, progressAt: 0, lastEnd: null, pushedAt: 0
    })
    sessions.set(keyOf(secret, sessionID), session)
    return session
  }
  get device () { return devices.get(this.data.secret) }

  // --- what callers say

  begin (event) {
    const d = this.data
    d.life++
    d.running = true; d.begun = true; d.cardDead = false; d.cardOut = false; d.sessionType = event.sessionType
    d.startTime = event.startTime === undefined ? Math.round(clock.wall() - SINCE_2001 * 1000) / 1000 : event.startTime
    d.state = {
      status: 'Initializing', progress: 0, currentFile: null,
      operationCount: defect(21) && d.state ? d.state.operationCount : 0
    }
    d.cardAt = d.token ? d.tokenAt : 0; this.lane = newLane(); this.startLane = newLane()
    this.news(event.eventID, false)
    d.startDue = !d.token; d.startVersion = d.version; d.opening = d.current
  }
  news (marker, coalescable) {
    const d = this.data
    d.version++
    d.current = { version: d.version, marker, state: { ...d.state }, coalescable }
    if (!coalescable) {
      d.urgent = d.current
      if (this.lane.retryAt > this.lane.lastAt + 1000) this.lane.retryAt = this.lane.lastAt + 1000
    }
  }
  progress (event) {
    const d = this.data
    const change = event.contentState
    if (change.status !== undefined) d.state.status = change.status
    if (change.progress !== undefined) d.state.progress = Math.max(d.state.progress, change.progress)
    if (change.operationCount !== undefined) d.state.operationCount = Math.max(d.state.operationCount, change.operationCount)
    if (change.currentFile !== undefined && !(defect(17) && change.currentFile === null)) d.state.currentFile = change.currentFile
    this.news(event.eventID, true)
  }
  finish (marker, state) {
    const d = this.data
    const late = defect(25) && d.token && d.current && d.current.version > this.covered() ? { ...d.current, token: d.token, env: this.tokenEnv() } : null
    d.state = state
    d.version++
    d.lastEnd = { marker, state: { ...state } }
    if (d.token) this.endCard(d.token, this.tokenEnv(), marker, state)
    // A card that was begun by push, and whose token we do not know yet, is ended when it is told.
    d.cardOut = !d.token && d.cardOut; d.running = false; d.begun = false; d.token = null; d.startDue = false
    d.urgent = null
    if (late) clock.at(Math.max(clock.mono(), this.windowOpens()), () => { this.again.push(late); this.kick() })
    clock.cancel(this.wake); this.wake = null
  }
  endCard (token, environment, marker, state) {
    this.data.ends.push({ token, env: environment, marker, state: { ...state }, version: this.data.version, id: crypto.randomUUID(), at: clock.wall() })
  }
  register (token) {
    const d = this.data
    for (const other of sessions.values()) { if (other !== this && other.data.token === token) { other.data.token = null; saveSession(other) } }
    if (!d.running && d.cardOut) {
      d.cardOut = false
      this.endCard(token, this.device ? this.device.apnsEnv : 'production', d.lastEnd.marker, d.lastEnd.state)
      return
    }
    if (d.running) { const kept = d.ends.filter(end => end.token !== token); if (kept.length !== d.ends.length) d.ends = kept }
    if (!d.cardAt || d.cardDead === 'aged') d.cardAt = clock.wall()
    if (d.running) d.begun = true
    if (d.token !== token) { d.tokenEnv = null; this.refused = 0; this.lane = newLane() } else this.refused = 0
    d.token = token; d.tokenAt = clock.wall(); d.cardDead = false; d.startDue = false; d.cardOut = false
  }
  tokenEnv () { if (defect(24)) return 'production'; return this.data.tokenEnv || (this.device ? this.device.apnsEnv : 'production') }

  // --- what is to be sent now

  covered () {
    let most = Math.max(this.data.told, this.refused)
    for (const push of this.flying) if (push.kind !== 'end') most = Math.max(most, push.version)
    return most
  }
  windowOpens () {
    const d = this.data
    if (!d.progressAt) return -Infinity
    if (this.progressMono === undefined) this.progressMono = clock.mono() - Math.min(config.window, Math.max(0, clock.wall() - d.progressAt))
    return this.progressMono + config.window
  }
  wakeAt (when) {
    if (this.wake && !this.wake.done && this.wake.at <= when) return
    clock.cancel(this.wake)
    const timer = this.wake = clock.at(when, () => { timer.done = true; this.kick() })
  }
  kick () {
    const push = this.pick()
    if (push) connectionFor(push.env, this).want(this)
    else if (this.listeners.length && !this.flying.size) this.release()
  }
  release () {
    const waiting = this.listeners
    this.listeners = []
    for (const one of waiting) one()
  }
  pick () {
    const d = this.data
    const now = clock.mono() + 0.001           // a timer may fire a rounding error before its time
    for (const end of d.ends) {
      if ([...this.flying].some(push => push.end === end)) continue
      const lane = this.endLane(end)
      if (now < lane.retryAt) { this.wakeAt(lane.retryAt); continue }
      if (make.onePerSession && this.flying.size) return null
      return { owner: this, kind: 'end', end, token: end.token, env: end.env, id: end.id, lane, version: end.version, marker: end.marker, state: end.state, priority: 10 }
    }
    if (this.again.length) {
      const old = this.again[0]
      return { owner: this, kind: 'update', once: old, token: old.token, env: old.env, id: crypto.randomUUID(), lane: newLane(), version: old.version, marker: old.marker, state: old.state, priority: 10 }
    }
    if (!d.running) return null
    if (make.onePerSession && this.flying.size) return null
    return d.token ? this.pickUpdate(now) : this.pickStart(now)
  }
  pickStart (now) {
    const d = this.data
    const device = this.device
    if (!d.startDue || !device || !device.startToken) return null
    if ([...this.flying].some(push => push.kind === 'start' && !push.doubted)) return null
    const lane = this.startLane
    if (now < lane.retryAt) { this.wakeAt(lane.retryAt); return null }
    return this.pushOf('start', d.opening, lane, device.startToken, device.startEnv || device.apnsEnv)
  }
  pickUpdate (now) {
    const d = this.data
    const lane = this.lane
    const covered = this.covered()
    const current = defect(3) && lane.tries > 0 && lane.last && lane.last.version > covered ? lane.last : d.current
    if (!current || current.version <= covered || (defect(3) && lane.tries > 0 && this.flying.size)) return null
    if (now < lane.retryAt) { this.holds(); this.wakeAt(lane.retryAt); return null }
    const update = state => this.pushOf('update', state, lane, defect(11) && this.held ? this.held.token : d.token, this.tokenEnv())
    const opens = this.windowOpens()
    if (!current.coalescable || now >= opens || d.progressVersion === current.version) return update(current)
    if (d.urgent && d.urgent.version > covered) return update(d.urgent)
    if (defect(1)) return null
    this.holds()
    this.wakeAt(opens)
    return null
  }

  // Only defect 11 asks which token was known when a state began to wait.
  holds () { if (defect(11) && !this.held) this.held = { token: this.data.token } }

  pushOf (kind, state, lane, token, environment) {
    const identity = `${state.version} ${token}`
    if (lane.identity !== identity) { lane.identity = identity; lane.id = crypto.randomUUID() }
    return { owner: this, kind, token, env: environment, id: lane.id, lane, version: state.version, marker: state.marker, state: state.state, coalescable: state.coalescable, priority: state.coalescable && state.state.status === this.data.shown ? 5 : 10, whole: state }
  }
  endLane (end) { if (!this.endLanes.has(end.id)) this.endLanes.set(end.id, newLane()); return this.endLanes.get(end.id) }

  // --- its payload

  build (push) {
    const d = this.data
    const second = Math.floor(clock.wall() / 1000)
    const trailing = defect(22) && push.kind === 'update' && d.trailing === push.version
    const stamp = trailing ? d.lastStamp : Math.max(second, d.lastStamp + (push.version === d.lastStampVersion ? 0 : 1))
    d.lastStamp = stamp; d.lastStampVersion = push.version
    let characters = FILE_CHARACTERS
    const full = push.state.currentFile
    for (;;) {
      const file = full === null ? null : cut(full, characters)
      const text = JSON.stringify(this.payload(push, stamp, file))
      if (Buffer.byteLength(text) <= PAYLOAD_BYTES || full === null || characters < 50 || defect(20)) return text
      characters = Math.floor(characters * 0.8)
    }
  }
  payload (push, timestamp, currentFile) {
    const d = this.data
    const { status, progress, operationCount } = push.state
    const state = { status, progress }
    if (currentFile !== null || make.explicitNull) state.currentFile = currentFile
    state.operationCount = operationCount
    state.statusEmoji = Object.prototype.hasOwnProperty.call(EMOJI, status) ? EMOJI[status] : '💻'
    const aps = { timestamp, event: push.kind, 'content-state': state }
    if (push.kind === 'start') {
      aps['attributes-type'] = 'SessionActivityAttributes'
      aps.attributes = { sessionID: d.sessionID, sessionType: d.sessionType, startTime: d.startTime }
      aps.alert = { title: d.sessionType, body: 'OpenCode has begun to work.' }
      aps['input-push-token'] = 1
    }
    if (!make.keysTurned) return { aps, eventID: push.marker }
    const turned = object => Object.fromEntries(Object.entries(object).reverse())
    aps['content-state'] = turned(state)
    return { eventID: push.marker, aps: turned(aps) }
  }

  // --- what became of it

  leaves (push) {
    const d = this.data
    push.tokenAt = push.kind === 'update' ? d.tokenAt : push.kind === 'start' ? this.device.startAt : 0
    push.life = d.life; push.lane.lastAt = push.at; push.lane.last = push.whole; this.held = null
    this.flying.add(push)
    if (push.once) this.again.shift()
    if (push.kind === 'update' && push.version !== d.progressVersion && (push.coalescable || make.everyPushOpensWindow)) {
      d.progressVersion = push.version; d.progressAt = push.wallAt; this.progressMono = push.at
    }
    if (defect(15) && push.kind === 'start') {
      push.doubt = clock.after(3000, () => {
        push.doubted = true; push.lane.identity = null
        this.kick()
      })
    }
    saveSession(this)
  }
  settles (push, outcome) {
    clock.cancel(push.doubt)
    this.flying.delete(push)
    this.judge(push, outcome)
    saveSession(this)
    this.kick()
    if (this.flying.size === 0) this.release()
  }
  judge (push, outcome) {
    const { lane } = push
    if (outcome.lost) {
      if (defect(12)) return this.accepted(push)
      lane.losses++
      if (lane.losses > (outcome.lost === 'refused' ? 5 : 1)) this.later(lane)
      return
    }
    lane.losses = 0
    const { status, reason } = outcome
    if (status === 200) return this.accepted(push)
    console.log(push.kind, push.token.slice(0, 6), status, reason)
    if (reason === 'ExpiredProviderToken') { if (!renewExpired(push.authorization)) this.later(lane); return }
    if (status === 429 || status >= 500) {
      if (push.kind === 'end' && clock.wall() - push.end.at > 14400000) return this.given(push)
      if (defect(14) && push.kind === 'end') return this.given(push)
      if (defect(2) && push.kind === 'update') return this.sameAgain(push)
      return this.later(lane)
    }
    if (status === 410 && !(defect(4) && reason === 'ExpiredToken')) return this.died(push, outcome)
    if (['BadDeviceToken', 'BadEnvironmentKeyInToken', 'BadEnvironmentKeyIdInToken'].includes(reason)) return this.otherHost(push, reason)
    if (reason === 'DeviceTokenNotForTopic' || (defect(5) && status === 400)) return this.died(push, outcome)
    this.given(push)
  }
  later (lane) {
    const { first, growth, most } = make.backoff
    lane.retryAt = clock.mono() + Math.min(first * growth ** lane.tries, most)
    lane.tries++
  }
  sameAgain (push) {
    this.refused = Math.max(this.refused, push.version); push.lane.tries = 0
    const wait = 1000 * 2 ** Math.min(push.once ? push.once.tries : 0, 5)
    const again = { ...push.whole, ...push.once, tries: (push.once ? push.once.tries : 0) + 1, token: push.token, env: push.env, version: push.version, marker: push.marker, state: push.state }
    clock.after(wait, () => { if (this.data.running) { this.again.push(again); this.kick() } })
  }
  accepted (push) {
    const d = this.data
    push.lane.retryAt = 0; push.lane.wandered = false
    if (push.kind === 'end') return this.endDone(push)
    const news = defect(3) && push.lane.tries > 0 ? d.version : push.version
    push.lane.tries = 0; d.pushedAt = clock.wall()
    if (push.life !== d.life) return
    if (d.told < push.version) d.shown = push.state.status
    if (d.told < news) d.told = news
    if (d.urgent && d.urgent.version <= d.told) d.urgent = null
    if (push.kind === 'start') {
      if (d.running) d.cardAt = push.wallAt
      d.cardOut = !d.token; d.startDue = false
    }
  }
  endDone (push) { this.data.ends = this.data.ends.filter(end => end !== push.end); this.endLanes.delete(push.end.id) }

  // Refused for good: not again, but what comes next may go.
  given (push) {
    const d = this.data
    push.lane.tries = 0
    if (push.kind === 'end') return this.endDone(push)
    if (push.life !== d.life) return
    if (push.kind === 'start') {
      d.startDue = false
      if (d.running && !d.token && !defect(16)) d.begun = false
      return
    }
    if (push.token === d.token && push.tokenAt === d.tokenAt) this.refused = Math.max(this.refused, push.version)
    else if (defect(11)) this.refused = Math.max(this.refused, push.version)
  }
  died (push, outcome) {
    const d = this.data
    if (push.kind === 'start') {
      const device = this.device
      if (device && device.startToken === push.token && device.startAt === push.tokenAt && !(outcome.timestamp < device.startAt)) {
        device.startToken = device.startEnv = null; saveDevice(device)
      }
    } else if (push.kind === 'update') {
      const same = d.token === push.token && d.tokenAt === push.tokenAt && !(outcome.status === 410 && outcome.timestamp < d.tokenAt)
      if (same || defect(6)) { d.token = null; d.tokenEnv = null; d.cardDead = true }
    }
    this.given(push)
  }

  // A token, or our key, that the one host does not know: once to the other one, and what works is remembered.
  otherHost (push, reason) {
    const d = this.data
    const other = otherEnvironment(push.env)
    const now = push.kind === 'end' ? push.end.env : push.kind === 'start' ? this.device.startEnv || this.device.apnsEnv : this.tokenEnv()
    if (push.env !== now && push.token === (push.kind === 'update' ? d.token : push.token)) return
    if (other && !push.lane.wandered && !(defect(24) && push.kind !== 'start')) {
      push.lane.wandered = reason
      if (push.kind === 'end') push.end.env = other
      if (push.kind === 'start' && this.device.startToken === push.token) { this.device.startEnv = other; saveDevice(this.device) }
      if (push.kind === 'update' && d.token === push.token) d.tokenEnv = other
      return
    }
    if (reason === 'BadDeviceToken' || push.lane.wandered === 'BadDeviceToken') this.died(push, { status: 400 })
    else this.given(push)
  }
}

// Cut between characters, never within one.
function cut (text, characters) {
  if (defect(20)) return text.length > 4000 ? text.slice(0, 4000) : text
  if (Buffer.byteLength(text) <= characters) return text
  const scalars = Array.from(text)
  return scalars.length <= characters ? text : scalars.slice(0, characters - 1).join('') + '…'
}

// Before the system ends a card after eight hours we do.
function endAged () {
  let next = 600000
  for (const session of sessions.values()) {
    const d = session.data
    if (!d.running || !d.token || !d.cardAt) continue
    const left = (defect(8) && d.pushedAt ? d.pushedAt : d.cardAt) + END_AFTER - clock.wall()
    if (left > 0) { next = Math.min(next, left); continue }
    d.version++
    session.endCard(d.token, session.tokenEnv(), d.current.marker, { ...d.state, status: 'Error' })
    d.token = null; d.tokenEnv = null; d.cardDead = 'aged'; d.urgent = null; d.told = d.version; saveSession(session)
    session.kick()
  }
  clock.after(Math.max(next, 1), endAged)
}

// ----------------------------------------------------------------------------------------------------------------- calls
class Refusal extends Error {
  constructor (status, message) { super(message); this.status = status }
}
const text = (body, name, most = 512) => {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw new Refusal(400, `${name} is missing`)
  if (Buffer.byteLength(value) > most) throw new Refusal(400, `${name} is too long`)
  return value
}
const tokenText = (body, name) => {
  const value = text(body, name, 1024)
  if (!/^[0-9a-fA-F]+$/.test(value)) throw new Refusal(400, `${name} is no token`)
  return value
}
const bundle = body => { if (body.bundleId !== undefined && body.bundleId !== config.topic) throw new Refusal(400, 'bundleId is not ours') }

function registerDevice (body) {
  const secret = text(body, 'secret')
  const deviceToken = tokenText(body, 'deviceToken')
  bundle(body)
  if (!['production', 'sandbox'].includes(body.apnsEnv || 'production')) throw new Refusal(400, 'apnsEnv is neither production nor sandbox')
  const apnsEnv = body.apnsEnv || 'production'
  const given = body.pushToStartToken
  const startToken = given === undefined || given === null ? given : tokenText(body, 'pushToStartToken')
  const device = devices.get(secret) || { secret, startToken: null, startAt: 0, startEnv: null }
  const moved = device.deviceToken !== undefined && device.deviceToken !== deviceToken
  device.deviceToken = deviceToken
  if (device.apnsEnv !== apnsEnv || moved) device.startEnv = null
  device.apnsEnv = apnsEnv
  if (startToken) {
    if (device.startToken !== startToken) device.startEnv = null
    device.startToken = startToken; device.startAt = clock.wall()
  } else if (startToken === null) device.startToken = null
  devices.set(secret, device)
  saveDevice(device)
}

function registerActivity (body) {
  const secret = text(body, 'secret')
  const sessionID = text(body, 'sessionID')
  const token = tokenText(body, 'activityToken')
  bundle(body)
  let session = sessions.get(keyOf(secret, sessionID)) || Session.create(secret, sessionID)
  if (defect(23) && !session.data.token) {
    session = [...sessions.values()].find(one => one.data.secret === secret && one.data.running && !one.data.token) || session
  }
  session.register(token)
  saveSession(session); session.kick()
  return session
}

function checkedState (change) {
  if (change === null || typeof change !== 'object' || Array.isArray(change)) throw new Refusal(400, 'contentState is missing')
  const { status, progress, currentFile, operationCount } = change
  if (status !== undefined && (typeof status !== 'string' || !status || Buffer.byteLength(status) > 200)) throw new Refusal(400, 'status is wrong')
  if (progress !== undefined && !(typeof progress === 'number' && progress >= 0 && progress <= 1)) throw new Refusal(400, 'progress is not within 0 and 1')
  if (operationCount !== undefined && !(Number.isSafeInteger(operationCount) && operationCount >= 0)) throw new Refusal(400, 'operationCount is wrong')
  if (currentFile !== undefined && currentFile !== null && typeof currentFile !== 'string') throw new Refusal(400, 'currentFile is wrong')
  if (make.refusesLongFiles && typeof currentFile === 'string' && Buffer.byteLength(currentFile) > 1000) throw new Refusal(413, 'currentFile is too long')
}

function takeEvent (body) {
  const secret = text(body, 'secret')
  const sessionID = text(body, 'sessionID')
  const eventID = text(body, 'eventID')
  const type = body.eventType
  if (!['start', 'progress', 'background', 'complete', 'error'].includes(type)) throw new Refusal(400, 'eventType is unknown')
  if (type === 'progress') checkedState(body.contentState === undefined ? null : body.contentState)
  if (type === 'start') {
    text(body, 'sessionType', 200)
    if (body.startTime !== undefined && !(typeof body.startTime === 'number' && Number.isFinite(body.startTime) && body.startTime >= 0)) throw new Refusal(400, 'startTime is wrong')
  }
  let session = sessions.get(keyOf(secret, sessionID))
  const device = devices.get(secret)
  const token = session && session.data.token
  const canStart = device && device.startToken

  if (type === 'start') {
    if (session && session.data.running && session.data.begun && (token || !session.data.cardDead)) return session
    if (!token && !canStart) throw new Refusal(409, 'no token')
    if (!session) session = Session.create(secret, sessionID)
    session.begin(body)
  } else {
    if (!session || (!session.data.running && !token)) throw new Refusal(409, 'no such session')
    const d = session.data
    if (d.running && !d.begun && !token) throw new Refusal(409, 'no token')
    if (!d.running) {
      // A card that the app began by itself.
      d.life++
      d.running = d.begun = true
      d.state = { status: 'Initializing', progress: 0, currentFile: null, operationCount: 0 }
      d.cardAt = d.tokenAt; d.current = null
    }
    if (type !== 'complete' && type !== 'error' && d.current && d.current.marker === eventID) return session
    if (type === 'progress') {
      session.progress(body)
      if (defect(22)) d.trailing = clock.mono() < session.windowOpens() ? d.version : 0
    } else if (type === 'background') {
      d.state.status = 'Running in background'
      session.news(eventID, defect(18))
    } else if (type === 'complete') {
      session.finish(eventID, { ...d.state, status: 'Completed', progress: 1, currentFile: null })
    } else { session.finish(eventID, { ...d.state, status: 'Error', currentFile: defect(19) ? null : d.state.currentFile }) }
  }
  saveSession(session); session.kick()
  return session
}

const routes = { '/v1/device/register': registerDevice, '/v1/activity/register': registerActivity, '/v1/event': takeEvent }

const server = http.createServer((request, response) => {
  const answer = (status, body) => {
    const payload = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
    response.end(payload)
  }
  const path = request.url.split('?')[0]
  if (request.method === 'GET' && path === '/health') return answer(200, { ok: true })
  const parts = []
  let size = 0
  request.on('data', part => { size += part.length; if (size <= 262144) parts.push(part) })
  request.on('end', () => {
    clock.taken++
    let counted = false
    response.on('close', () => { if (!counted) { counted = true; clock.answered++; clock.touch() } })
    response.on('finish', () => { if (!counted) { counted = true; clock.answered++; clock.touch() } })
    try {
      const route = routes[path]
      if (!route) throw new Refusal(404, 'no such path')
      if (request.method !== 'POST') throw new Refusal(405, 'POST only')
      if (size > 262144) throw new Refusal(413, 'too long')
      let body
      try { body = JSON.parse(Buffer.concat(parts).toString('utf8')) } catch { throw new Refusal(400, 'no JSON') }
      if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new Refusal(400, 'no object')
      const session = route(body)
      if (make.answersLast && session && (session.flying.size || session.pick())) {
        let said = false
        const say = () => { if (!said) { said = true; clock.cancel(timer); answer(200, { ok: true }) } }
        const timer = clock.after(3000, say)
        session.listeners.push(say)
      } else answer(200, { ok: true })
    } catch (error) {
      if (!(error instanceof Refusal)) console.log(error.stack)
      answer(error.status || 500, { ok: false, error: error.status ? error.message : 'internal' })
    }
    clock.touch()
  })
})
server.keepAliveTimeout = 120000

function stop () {
  if (stop.asked) return
  stop.asked = true
  server.close()
  server.closeIdleConnections()
  const since = performance.now()
  const look = () => {
    const busy = [...sessions.values()].some(session => session.flying.size) || clock.taken > clock.answered
    if (!busy || performance.now() - since > 2000) process.exit(0)
    setTimeout(look, 20)
  }
  look()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

async function main () {
  await clock.join()
  store.open()
  for (const session of sessions.values()) {
    const d = session.data
    if (defect(13)) { d.told = d.version; d.urgent = null; d.startDue = false }
    session.kick()
  }
  endAged()
  const split = config.listen.lastIndexOf(':')
  server.listen(Number(config.listen.slice(split + 1)), config.listen.slice(0, split), () => console.log('listening', config.listen, variant))
}
main()
