'use strict';
// A push relay for coding sessions: takes registrations and events by HTTP, sends alerts and Live Activity pushes to APNs.
const http = require('http'), http2 = require('http2'), fs = require('fs'), crypto = require('crypto');

// ---------------------------------------------------------------------------------------------------- settings
const args = {};
for (let i = 2; i < process.argv.length; i += 2) args[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
const seconds = (text, other) => (text === undefined ? other : parseFloat(text) * (/ms$/.test(text) ? 1 : /m$/.test(text) ? 60e3 : 1e3));
const variant = process.env.VARIANT || 'honest-0';
const defect = Number((/^defect-(\d+)$/.exec(variant) || [])[1] || 0);
const honest = Number((/^honest-(\d+)$/.exec(variant) || [])[1] || 0);
const bug = n => defect === n;

const make = {
  window: seconds(args.window, 10e3),        // of progress
  answerWithin: 4000,                        // a caller never waits longer for APNs
  patience: 1500,                            // newer news overtake a push that has no answer for so long
  timeout: 9000,                             // of one push
  pause: 1000, growth: 2, longest: 60e3,     // behind 429 and 5xx
  tokenAge: 50 * 60e3,                       // of a provider token
  lanes: 1,                                  // connections to each host
  laneOf: null,
  parallel: Infinity,                        // streams of a connection
  debounce: 0,                               // of progress, ahead of the first push
  ids: true, early: false, reversed: false, dismissal: 0, stale: 0, tickPriority: 5, statePriority: 5, expiration: 0,
};
if (honest === 1) Object.assign(make, { reversed: true, ids: false, pause: 1300, growth: 1.7, dismissal: 900, statePriority: 10, tokenAge: 25 * 60e3 });
if (honest === 2) Object.assign(make, { lanes: 3, laneOf: (() => { let n = 0; return () => n++; })(), timeout: 8000, patience: 1000 });
if (honest === 3) Object.assign(make, { parallel: 4, answerWithin: 3000, timeout: 12000, expiration: 3600 });
if (honest === 4) Object.assign(make, { lanes: 6, laneOf: owner => parseInt(owner.slice(0, 8), 16), pause: 800, longest: 30e3 });
if (honest === 5) Object.assign(make, { early: true, tokenAge: 40 * 60e3, stale: 1800 });
if (honest === 6) Object.assign(make, { debounce: 300, pause: 1500, dismissal: 3600, answerWithin: 2000, tokenAge: 55 * 60e3 });
if (bug(12)) make.tokenAge = 70 * 60e3;

// ---------------------------------------------------------------------------------------------------- clock
// The system's clock; or one that runs faster; or one that is stepped by whoever tests us, and asks what we wait for.
const clock = {
  mode: 'real', scale: 1, offset: 0, elapsed: 0, wall: 0, timers: new Set(), calls: [0, 0], pushes: [0, 0], soon: false, turn: 0, reading: 0,
  now() { return this.mode === 'stepped' ? this.wall : this.mode === 'scaled' ? this.shows + (Date.now() - this.at) * this.scale : Date.now(); },
  since() { return this.mode === 'stepped' ? this.elapsed : Number(process.hrtime.bigint() / 1000n) / 1000 * this.scale; },
  // A span; goes on whatever the wall clock is set to.
  after(span, work) {
    const timer = { due: this.since() + Math.max(0, span), work };
    if (this.mode === 'stepped') { this.timers.add(timer); this.touch(); } else timer.handle = setTimeout(work, Math.max(0, span) / this.scale);
    return timer;
  },
  // An instant of the wall clock.
  when(instant, work) {
    const timer = { wall: instant, work };
    this.timers.add(timer);
    if (this.mode === 'stepped') this.touch();
    return timer;
  },
  cancel(timer) { if (timer) { this.timers.delete(timer); clearTimeout(timer.handle); } },
  dueOf(timer) { return timer.wall === undefined ? timer.due : this.elapsed + (timer.wall - this.wall); },
  sweep() {
    for (const timer of [...this.timers]) if (timer.wall !== undefined && timer.wall <= this.now() && this.timers.delete(timer)) timer.work();
  },
  touch() {
    if (this.mode !== 'stepped' || this.soon || !this.id) return;
    this.soon = true;
    setImmediate(() => setImmediate(() => { this.soon = false; this.state(); }));
  },
  state() {
    if (busyConnecting() || this.reading) return;
    const turn = ++this.turn;
    let until = null;
    for (const timer of this.timers) { const due = Math.max(this.dueOf(timer), this.elapsed + 0.001); if (until === null || due < until) until = due; }
    this.post(`/v1/clock/participants/${this.id}`, { elapsed: Math.round(this.elapsed * 1000), until: until === null ? null : Math.ceil(until * 1000),
      calls: [...this.calls], pushes: [...this.pushes] }).then(told => this.heard(told, turn === this.turn), () => setTimeout(() => this.touch(), 200).unref());
  },
  heard(told, newest) {
    const elapsed = told.elapsed / 1000;
    if (elapsed < this.elapsed) return;
    const went = elapsed > this.elapsed;
    this.elapsed = elapsed;
    this.wall = told.wall / 1000;
    if (told.scale > 0) return this.run(told);
    for (;;) {
      let next = null;
      for (const timer of this.timers) if (this.dueOf(timer) <= this.elapsed + 1e-6 && (!next || this.dueOf(timer) < this.dueOf(next))) next = timer;
      if (!next) break;
      this.timers.delete(next);
      next.work();
    }
    if (went) this.touch(); else if (newest) setTimeout(() => this.touch(), 5);
  },
  // The clock was set to run by itself.
  run(told) {
    const timers = [...this.timers].map(timer => [timer, this.dueOf(timer) - this.elapsed]);
    this.mode = 'scaled'; this.scale = told.scale; this.at = Date.now(); this.shows = this.wall;
    for (const [timer, left] of timers) if (timer.wall === undefined) { this.timers.delete(timer); timer.due = this.since() + left; timer.handle = setTimeout(timer.work, Math.max(0, left) / this.scale); }
  },
  post(path, body) {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const request = http.request(this.base + path, { method: 'POST', agent: this.agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } }, response => {
        let all = '';
        response.setEncoding('utf8').on('data', part => { all += part; }).on('end', () => { try { resolve(JSON.parse(all)); } catch (e) { reject(e); } });
      });
      request.on('error', reject).end(text);
    });
  },
  async join(where) {
    const scaled = /^scale=([\d.]+),at=(\d+),shows=(\d+)/.exec(where || '');
    if (scaled) {
      [this.scale, this.at, this.shows] = scaled.slice(1).map(Number);
      if (this.scale !== 1 || Math.abs(this.at - this.shows) > 50) this.mode = 'scaled';
    } else if (/^http/.test(where || '')) {
      this.base = where.replace(/\/$/, '');
      this.agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
      const told = await this.post('/v1/clock/participants', { name: 'relay' });
      Object.assign(this, { mode: 'stepped', id: told.id, elapsed: told.elapsed / 1000, wall: told.wall / 1000 });
      if (told.scale > 0) this.run(told);
    }
    setInterval(() => { if (this.mode !== 'stepped') this.sweep(); }, Math.max(20, 1000 / this.scale));
  },
};

// ---------------------------------------------------------------------------------------------------- storage
// Lines of JSON: a key and its newest value, or null.
const store = {
  file: args.store || 'relay.jsonl', handle: null, logged: 0,
  load() {
    const all = new Map();
    if (fs.existsSync(this.file)) {
      for (const line of fs.readFileSync(this.file, 'utf8').split('\n')) {
        if (!line) continue;
        try { const { k, v } = JSON.parse(line); if (v === null) all.delete(k); else all.set(k, v); } catch (e) { /* the last line, cut off */ }
      }
    }
    const lines = [...all].map(([k, v]) => JSON.stringify({ k, v }) + '\n').join('');
    fs.writeFileSync(this.file + '.new', lines, { mode: 0o600 });
    fs.renameSync(this.file + '.new', this.file);
    this.handle = fs.openSync(this.file, 'a');
    return all;
  },
  put(k, v) { fs.writeSync(this.handle, JSON.stringify({ k, v }) + '\n'); },
};

// ---------------------------------------------------------------------------------------------------- provider token
const provider = {
  key: null, current: null, forced: -Infinity,
  load(all) {
    this.key = crypto.createPrivateKey(fs.readFileSync(args.key));
    this.name = crypto.createHash('sha256').update(fs.readFileSync(args.key)).update(`${args['key-id']}/${args['team-id']}`).digest('hex');
    const kept = all.get('provider');
    if (kept && kept.name === this.name && !bug(11)) this.current = kept;
  },
  sign() {
    const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
    const iat = Math.floor(clock.now() / 1000);
    const text = `${part({ alg: 'ES256', kid: args['key-id'] })}.${part({ iss: args['team-id'], iat })}`;
    const signature = crypto.sign('sha256', Buffer.from(text), { key: this.key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return { jwt: `${text}.${signature}`, iat, name: this.name };
  },
  token(connection) {
    if (bug(11)) return (connection.own = connection.own && clock.now() - connection.own.iat * 1000 < make.tokenAge ? connection.own : this.sign()).jwt;
    const age = this.current ? clock.now() - this.current.iat * 1000 : Infinity;
    if (age >= make.tokenAge || age < -300e3) { this.current = this.sign(); store.put('provider', this.current); }
    return this.current.jwt;
  },
  // APNs calls it expired: another one, once in twenty minutes.
  refused(jwt) {
    if (!this.current || this.current.jwt !== jwt || clock.now() - this.forced < 20 * 60e3) return;
    this.forced = clock.now();
    this.current = this.sign();
    store.put('provider', this.current);
  },
};

// ---------------------------------------------------------------------------------------------------- APNs
// One connection at a time for each lane of a host. What waits is made into a request only when it can leave.
class Lane {
  constructor(url) { this.url = url; this.session = null; this.ready = false; this.flying = 0; this.queue = []; this.failures = 0; this.waiting = null; }
  send(item) { return new Promise(resolve => { this.queue.push({ item, resolve }); this.pump(); }); }
  connect() {
    const session = http2.connect(this.url, { ca: authority });
    this.session = session; this.ready = false; this.flying = 0;
    let heard = false;
    const up = setTimeout(() => { if (!heard) session.destroy(); }, 10e3);
    session.on('remoteSettings', () => { clearTimeout(up); heard = true; this.failures = 0; if (this.session === session) { this.ready = true; this.pump(); } });
    session.on('goaway', () => { session.left = true; this.retire(session); });
    session.on('error', () => {});
    session.on('close', () => {
      clearTimeout(up); clock.cancel(beat);
      if (this.session !== session) return clock.touch();
      this.session = null; this.ready = false;
      if (!heard) this.rest();
      this.pump(); clock.touch();
    });
    let beat = null;
    const ping = () => { beat = clock.after(30 * 60e3, () => {
      if (session.destroyed || session.closed) return;
      const late = setTimeout(() => session.destroy(), 10e3); late.unref();
      try { session.ping(error => { clearTimeout(late); if (error) session.destroy(); else ping(); }); } catch (e) { session.destroy(); }
    }); };
    ping();
  }
  rest() {
    const pause = Math.min(250 * 2 ** this.failures++, 5000);
    this.waiting = clock.after(pause, () => { this.waiting = null; this.pump(); });
  }
  retire(session) {
    if (this.session === session) { this.session = null; this.ready = false; }
    if (!session.closed && !session.destroyed) session.close();
    setTimeout(() => { if (!session.destroyed) session.destroy(); }, 20e3).unref();
    this.pump();
  }
  limit() { const told = this.session.remoteSettings.maxConcurrentStreams; return Math.min(told === undefined ? 100 : Math.max(1, told), make.parallel); }
  pump() {
    if (!this.queue.length) return;
    if (!this.session) { if (!this.waiting) this.connect(); return; }
    while (this.ready && this.session && this.queue.length && this.flying < this.limit()) {
      const { item, resolve } = this.queue.shift();
      const request = item.make();
      if (!request) { resolve({ skipped: true }); continue; }
      this.request(this.session, request, resolve);
    }
  }
  request(session, request, resolve) {
    const jwt = provider.token(session);
    let stream, status = 0, body = '', over = false, timer = null;
    const finish = outcome => {
      if (over) return;
      over = true; clock.cancel(timer); clock.pushes[1]++;
      if (this.session === session) this.flying--;
      if (outcome.status === 403 && outcome.reason === 'ExpiredProviderToken') { provider.refused(jwt); this.retire(session); }
      if (outcome.reason === 'TooManyProviderTokenUpdates') this.retire(session);
      if (outcome.lost === 'timeout') this.retire(session);
      if (outcome.lost && session.left) outcome.left = true;
      resolve(Object.assign(outcome, { token: request.token }));
      this.pump(); clock.touch();
    };
    clock.pushes[0]++; this.flying++;
    try {
      stream = session.request({ ':method': 'POST', ':path': `/3/device/${request.token}`, authorization: `bearer ${jwt}`, ...request.headers,
        'content-length': Buffer.byteLength(request.body) }, { endStream: false });
    } catch (e) { return finish({ lost: 'closed' }); }
    timer = clock.after(make.timeout, () => { finish({ lost: 'timeout' }); stream.close(http2.constants.NGHTTP2_CANCEL); });
    stream.setEncoding('utf8');
    stream.on('response', headers => { status = Number(headers[':status']); });
    stream.on('data', part => { body += part; });
    stream.on('error', () => {});
    stream.on('end', () => { if (status) finish(answer(status, body)); });
    stream.on('close', () => {
      if (status && (status === 200 || body)) finish(answer(status, body));
      else finish({ lost: stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'reset' });
    });
    stream.end(request.body);
  }
}
const answer = (status, body) => {
  let told = {};
  try { told = JSON.parse(body || '{}'); } catch (e) { /* no JSON */ }
  return { status, reason: told.reason || '', timestamp: Number(told.timestamp) || 0 };
};
let authority, hosts = {};
const otherOf = env => { const other = env === 'production' ? 'sandbox' : 'production'; return hosts[other] && hosts[other].url !== hosts[env].url ? other : null; };
function openHosts() {
  authority = args['apns-ca'] ? fs.readFileSync(args['apns-ca']) : undefined;
  const host = url => ({ url, lanes: Array.from({ length: make.lanes }, () => new Lane(url)) });
  hosts.production = host(args.apns);
  hosts.sandbox = args['apns-sandbox'] && args['apns-sandbox'] !== args.apns ? host(args['apns-sandbox']) : hosts.production;
}
const busyConnecting = () => Object.values(hosts).some(host => host.lanes.some(lane => lane.queue.length && !lane.waiting && (!lane.session || !lane.ready)));

// What an answer means: ok, dead, unfit (token and topic do not belong together), again, lost, final.
const wrongKey = reason => /^BadEnvironmentKey(Id)?InToken$/.test(reason);
function meaning(out) {
  if (out.lost) return bug(8) && out.left ? 'final' : 'lost';
  if (out.status === 200) return 'ok';
  if (out.status === 410) return bug(5) && out.reason === 'ExpiredToken' ? 'final' : 'dead';
  if (out.status === 400 && out.reason === 'BadDeviceToken') return 'dead';
  if (out.status === 400 && out.reason === 'DeviceTokenNotForTopic') return 'unfit';
  if (out.status === 429 || out.status >= 500 || out.reason === 'ExpiredProviderToken') return 'again';
  return 'final';
}
// One try of a job: make(env) builds the request, home() tells its environment, learn(env) keeps another that worked.
async function attempt(job) {
  for (;;) {
    const env = job.env || job.home();
    const lanes = hosts[env].lanes;
    const lane = lanes[make.laneOf ? make.laneOf(job.owner) % lanes.length : 0];
    const out = await lane.send({ make: () => job.make() });
    if (out.skipped) return { kind: 'skip' };
    const kind = meaning(out);
    const other = otherOf(env);
    if (!job.crossed && other && (out.reason === 'BadDeviceToken' || wrongKey(out.reason))) {
      job.crossed = out.reason; job.env = other;
      continue;
    }
    const result = { ...out, kind, env };
    if (job.crossed && kind === 'ok') job.learn(env);
    // The key does not fit the other host: what the first one said of the token stands.
    if (wrongKey(out.reason) && job.crossed === 'BadDeviceToken') result.kind = 'dead';
    if (kind === 'final' || kind === 'ok') { job.env = null; }
    return result;
  }
}
const pauseOf = tries => Math.min(make.pause * make.growth ** tries, make.longest) * (1 + Math.random() * 0.2);
// How long a job rests behind a try that came to nothing.
function rest(job, result) {
  if (result.kind === 'lost') {
    job.losses = (job.losses || 0) + 1;
    return result.lost === 'refused' ? 20 : job.losses === 1 ? 0 : Math.min(250 * 2 ** job.losses, 10e3);
  }
  job.tries = (job.tries || 0) + 1;
  if (result.reason === 'ExpiredProviderToken' && job.tries === 1) return 0;
  return pauseOf(job.tries - 1);
}

// ---------------------------------------------------------------------------------------------------- texts
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });
function cut(text, most) {
  if (bug(20)) return Buffer.byteLength(text) <= most ? text : Buffer.from(text).subarray(0, most - 3).toString() + '…';
  if ([...text].length <= most) return text;
  let kept = '', count = 0;
  for (const { segment } of letters.segment(text)) {
    const size = [...segment].length;
    if (count + size > most - 1) break;
    kept += segment; count += size;
  }
  return (kept || [...text].slice(0, most - 1).join('')) + '…';
}
// The payload with texts as long as 4096 bytes allow.
function fit(build) {
  for (let share = 1; ; share *= 0.85) {
    const payload = build((text, most) => cut(text, Math.max(8, Math.floor(most * share))));
    const body = JSON.stringify(make.reversed ? turned(payload) : payload);
    if (Buffer.byteLength(body) <= 4096 || share < 0.05) return body;
  }
}
const turned = value => (value && typeof value === 'object' && !Array.isArray(value)
  ? Object.fromEntries(Object.entries(value).reverse().map(([k, v]) => [k, turned(v)])) : value);
const cutState = (state, trim) => ({
  status: state.status, sessionTitle: trim(state.sessionTitle, 200), lastMessage: trim(state.lastMessage, 120),
  retryInfo: state.retryInfo === null ? null : trim(state.retryInfo, 120),
});

// ---------------------------------------------------------------------------------------------------- tables
const devices = new Map();     // owner|token: {owner, token, startToken, bundle, claimed, env, version, at}
const sessions = new Map();    // owner|session
const alerts = new Map();      // id: what is still to be sent
let deliveries = 0;
const hash = text => crypto.createHash('sha256').update(text).digest('hex');
const devicesOf = owner => [...devices.values()].filter(device => device.owner === owner && !device.gone);
const saveDevice = device => store.put(`d|${device.owner}|${device.token}`, device);
const sessionKey = (owner, id) => (bug(16) ? id : `${owner}|${id}`);
function saveSession(s) {
  const kept = { ...s, cards: s.cards.map(card => {
    const { flying, timer, ageTimer, gone, ...rest } = card;
    let pend = null;
    if (card.pend && !(bug(9) && card.pend.event !== 'end')) { const { first, sending, job, notBefore, ...plain } = card.pend; pend = plain; }
    return { ...rest, pend };
  }), starts: {} };
  for (const [token, start] of Object.entries(s.starts)) { const { job, running, ...plain } = start; if (!bug(10)) kept.starts[token] = plain; }
  if (bug(10)) kept.had = s.cards.length > 0;
  if (bug(9)) kept.latest = null;
  store.put(`s|${s.key}`, kept);
}
function log(owner, event, session, result) {
  deliveries++;
  store.put(`l|${deliveries}`, { owner, event, session, status: result.kind === 'ok' ? 'sent' : 'failed', error: result.kind === 'ok' ? '' : String(result.reason || result.lost || result.kind), at: clock.now() });
}
// Is a token dead, by this answer to a push that left when its row was of that version?
function deadNow(result, at, changed) {
  if (changed) return false;
  if (bug(6) && result.timestamp) return at < result.timestamp / 1000;
  return !(result.status === 410 && result.timestamp && result.timestamp < at);
}

// ---------------------------------------------------------------------------------------------------- alerts
const words = { complete: ['Session complete', 'The session has finished.'], permission: ['Permission needed', 'The session waits for your answer.'], error: ['Session error', 'The session has stopped.'],
  start: ['Session started', 'Working'], progress: ['Session', 'Working'] };
// Sends an alert until it is there or hopeless. Told is the outcome of its first try.
function runAlert(alert) {
  return new Promise(told => {
    const row = () => devices.get(`${alert.owner}|${alert.token}`);
    let version = 0;
    const job = {
      owner: alert.owner, home: () => (row() ? row().env : 'production'), learn: env => { if (row()) { row().env = env; saveDevice(row()); } },
      make: () => {
        const device = row();
        if (!device || device.gone) return null;
        version = device.version;
        const headers = { 'apns-topic': device.bundle, 'apns-push-type': 'alert', 'apns-priority': '10' };
        if (make.ids) headers['apns-id'] = alert.id;
        const body = fit(trim => ({ aps: { alert: { title: trim(alert.title, 200), body: trim(alert.body, 140) }, sound: 'alert.wav' },
          ...(alert.serverID === undefined ? {} : { serverID: alert.serverID }), eventType: alert.event, sessionID: alert.session }));
        return { token: device.token, headers, body };
      },
    };
    const done = () => { alerts.delete(alert.id); store.put(`p|${alert.id}`, null); };
    const turn = async () => {
      const result = await attempt(job);
      if (result.kind === 'again' || result.kind === 'lost') {
        const hopeless = clock.now() - alert.at > 3600e3 || (job.losses || 0) > 12;
        if (!hopeless) { const pause = rest(job, result); if (pause > 100) told(result); if (pause) clock.after(pause, turn); else turn(); return; }
      }
      if (result.kind === 'dead' || result.kind === 'unfit') deviceDied(result, version, alert.owner);
      done(); told(result);
    };
    turn();
  });
}
function deviceDied(result, version, owner) {
  for (const device of [...devices.values()]) {
    if (device.token !== result.token) continue;
    if (!deadNow(result, device.at, device.owner === owner && device.version !== version)) continue;
    dropDevice(device);
  }
}
function dropDevice(device) {
  device.gone = true;
  devices.delete(`${device.owner}|${device.token}`);
  store.put(`d|${device.owner}|${device.token}`, null);
  if (bug(19) && device.startToken) { device.gone = false; device.token = `-${device.token}`; device.silent = true; devices.set(`${device.owner}|${device.token}`, device); saveDevice(device); }
}

// ---------------------------------------------------------------------------------------------------- sessions
function sessionOf(owner, id, create) {
  const key = sessionKey(owner, id);
  let s = sessions.get(key);
  if (!s && create) { s = { key, owner, id, seq: 0, over: false, had: false, many: false, latest: null, startSeq: 0, seen: 0, started: 0, goodbyes: 0, starts: {}, cards: [], final: null, complete: null }; sessions.set(key, s); }
  return s;
}
const living = s => s.cards.filter(card => !card.ending);
const liveHeaders = (bundle, priority, id) => {
  const headers = { 'apns-topic': `${bundle}.push-type.liveactivity`, 'apns-push-type': 'liveactivity', 'apns-priority': String(priority) };
  if (make.ids) headers['apns-id'] = id;
  if (make.expiration) headers['apns-expiration'] = String(Math.floor(clock.now() / 1000) + make.expiration);
  return headers;
};
// Later than all that the card has been told, in whole seconds.
function stamp(holder) { holder.stamp = Math.max(Math.floor(clock.now() / 1000), (holder.stamp || 0) + 1); return holder.stamp; }

// What a card is to show next. The newest state takes the place of an older one.
function tell(s, card, push) {
  const old = card.pend;
  push.id = crypto.randomUUID();
  if (bug(2) && old && old.job && !old.sending && push.event === 'update') return Promise.resolve();
  if (old && old.first) old.first();
  if (old && !old.sending && old.notBefore > clock.since()) push.notBefore = Math.min(old.notBefore, Math.max(clock.since(), (card.tried || 0) + 1000));
  if (push.event === 'end') { card.ending = true; if (bug(14) && old && old.tick && !old.sending) card.left = old; }
  if (push.tick && make.debounce && !old) push.notBefore = Math.max(push.notBefore || 0, clock.since() + make.debounce);
  card.pend = push;
  const first = new Promise(resolve => { push.first = resolve; });
  saveSession(s);
  kick(s, card);
  return first;
}
function kick(s, card) {
  const push = card.pend;
  clock.cancel(card.timer); card.timer = null;
  if (card.gone || !push || push.sending) return;
  const now = clock.since();
  let due = Math.max(push.notBefore || 0, card.flying ? card.flying.at + make.patience : 0);
  if (push.tick && card.ticked !== undefined) due = Math.max(due, card.ticked + make.window);
  if (due - now > 1e-3) {
    if (bug(1) && push.tick && card.ticked !== undefined && due === card.ticked + make.window && !push.job) { card.pend = null; push.first(); saveSession(s); return; }
    push.first && push.first();
    card.timer = clock.after(due - now, () => kick(s, card));
    return;
  }
  fly(s, card, push);
}
async function fly(s, card, push) {
  push.sending = true;
  const flight = card.flying = { push, at: clock.since() };
  let version = 0, used = null;
  const job = push.job = push.job || {
    owner: s.owner, home: () => card.env, learn: env => { if (!bug(17)) { card.env = env; saveSession(s); } },
    make: () => {
      if (card.gone || card.pend !== push) return null;
      flight.at = card.tried = clock.since();
      if (push.tick) { card.ticked = clock.since(); card.tickedAt = clock.now(); }
      flight.version = card.version;
      const at = push.stamp && push.stamp === card.stamp && Math.abs(clock.now() / 1000 - push.stamp) < 20 ? push.stamp : (push.stamp = stamp(card));
      const body = fit(trim => {
        const aps = { timestamp: at, event: push.event, 'content-state': cutState(push.state, trim) };
        if (make.stale && push.event === 'update') aps['stale-date'] = at + make.stale;
        if (make.dismissal && push.event === 'end') aps['dismissal-date'] = at + make.dismissal;
        return { aps };
      });
      if (bug(7)) push.token = push.token || card.token;
      used = bug(7) ? push.token : card.token;
      return { token: used, headers: liveHeaders(card.bundle, push.priority, push.id), body };
    },
  };
  const result = await attempt(job);
  version = flight.version;
  if (card.flying === flight) card.flying = null;
  push.first && push.first(result);
  if (card.gone) return;
  const mine = card.pend === push;
  if (mine) push.sending = false;
  const same = card.token === result.token;
  const bad = result.kind === 'dead' || result.kind === 'unfit' || (bug(3) && result.status === 400);
  if (result.kind === 'ok') {
    card.done = Math.max(card.done, push.seq);
    if (mine) card.pend = null;
    if (push.event === 'end' && mine) {
      removeCard(s, card);
      if (bug(14) && card.left) leftover(s, card);
    }
  } else if (bad && same) {
    if (card.version !== version || !deadNow(result, card.at, false)) {
      // Registered again since: it is told once more, if that was behind the push.
      if (mine && card.version !== version) clock.after(0, () => kick(s, card)); else if (mine) card.pend = null;
    } else cardDied(s, card);
  } else if (bad) {
    job.crossed = null; job.env = null; if (mine && bug(7)) card.pend = null;
  } else if (result.kind === 'again' || result.kind === 'lost') {
    if (mine) {
      if (push.event === 'end' && bug(13) && result.kind === 'again') removeCard(s, card);
      else if ((job.losses || 0) > 12) card.pend = null;
      else push.notBefore = clock.since() + rest(job, result);
    }
  } else if (result.kind === 'final' && mine) {
    card.pend = null;
    if (push.event === 'end') removeCard(s, card);
  }
  saveSession(s);
  kick(s, card);
}
function leftover(s, card) {
  const left = card.left;
  clock.after(Math.max(0, (card.ticked || 0) + make.window - clock.since()), () => attempt({
    owner: s.owner, home: () => card.env, learn: () => {},
    make: () => ({ token: card.token, headers: liveHeaders(card.bundle, left.priority, crypto.randomUUID()),
      body: fit(trim => ({ aps: { timestamp: stamp(card), event: 'update', 'content-state': cutState(left.state, trim) } })) }),
  }));
}
function removeCard(s, card) {
  card.gone = true;
  clock.cancel(card.timer); clock.cancel(card.ageTimer);
  if (card.pend && card.pend.first) card.pend.first();
  s.cards = s.cards.filter(other => other !== card);
  if (!s.many) s.seen = Math.max(s.seen, card.done);
  if (card.stamp) s.stamp = Math.max(s.stamp || 0, card.stamp);
}
// The token of this card is dead, and with it wherever else it was registered.
function cardDied(s, card) {
  if (s.latest && s.latest.seq > card.done) s.latest.held = true;
  s.goodbyes++;
  for (const other of [...sessions.values()]) {
    for (const twin of other.cards.filter(one => one.token === card.token)) { removeCard(other, twin); if (other !== s) saveSession(other); }
  }
}
// Before the system ends it after eight hours we do.
function watchAge(s, card) {
  clock.cancel(card.ageTimer);
  card.ageTimer = clock.when(card.born + (7 * 60 + 59) * 60e3, () => {
    if (card.gone || card.ending) return;
    const last = s.latest ? s.latest.state : s.shown || { sessionTitle: 'Session', lastMessage: '' };
    tell(s, card, { seq: ++s.seq, event: 'end', priority: 10, state: { status: 'error', sessionTitle: last.sessionTitle, lastMessage: 'Timed out', retryInfo: null } });
  });
}

// ---------------------------------------------------------------------------------------------------- starts
function runStart(s, token, start) {
  return new Promise(told => {
    const row = () => devices.get(`${s.owner}|${token}`);
    let version = 0;
    const current = () => s.starts[token] === start && start.status === 'pending' && (bug(23) || !s.over);
    const job = {
      owner: s.owner, home: () => (row() ? row().env : 'production'), learn: env => { if (row()) { row().env = env; saveDevice(row()); } },
      make: () => {
        const device = row();
        if (!device || device.gone || !device.startToken || !current()) return null;
        version = device.version;
        start.startToken = device.startToken;
        const body = fit(trim => ({
          aps: { timestamp: stamp(s), event: 'start', 'content-state': cutState({ ...start.state, status: 'working', retryInfo: null }, trim),
            'attributes-type': 'SessionActivityAttributes', attributes: { sessionId: s.id }, 'input-push-token': 1,
            alert: { title: trim(start.title, 200), body: trim(start.body, 140) } },
        }));
        return { token: device.startToken, headers: liveHeaders(device.bundle, 10, start.id), body };
      },
    };
    start.running = true;
    const turn = async () => {
      const result = await attempt(job);
      const mine = s.starts[token] === start;
      if ((result.kind === 'again' || result.kind === 'lost') && current() && (job.losses || 0) <= 12) {
        const pause = rest(job, result);
        if (pause > 100) told(result);
        if (pause) clock.after(pause, () => (current() ? turn() : told(result))); else turn();
        return;
      }
      if (result.kind === 'ok') { start.status = 'ok'; start.at = clock.now(); if (mine) s.started = start.at; }
      else if (result.kind === 'dead' || result.kind === 'unfit') {
        // Registered anew while we asked: then that one is to start it.
        const device = row();
        if (mine && current() && device && device.startToken && device.startToken !== result.token) { job.crossed = null; job.env = null; saveSession(s); return turn(); }
        start.status = 'refused';
        for (const other of devices.values()) {
          if (other.startToken === result.token && deadNow(result, other.startAt || other.at, other === device && device.version !== version)) { other.startToken = null; saveDevice(other); }
        }
      } else if (start.status === 'pending') start.status = 'refused';
      // What the start was to show waits for a token, if it was more than a beginning.
      if (start.status === 'refused' && mine && !s.over && start.seq === s.startSeq && start.event !== 'start' && s.latest && s.latest.seq === start.seq) s.latest.held = true;
      log(s.owner, start.event, s.id, result);
      saveSession(s); told(result);
    };
    turn();
  });
}
// Which phones are to be sent a start for this event?
function startable(s, explicit) {
  const seen = new Set(), phones = [];
  for (const device of devicesOf(s.owner)) {
    if (device.startToken && !seen.has(device.startToken)) { seen.add(device.startToken); phones.push(device); }
  }
  const live = living(s);
  if (live.length) {
    if (!explicit || phones.length <= live.length || Object.keys(s.starts).length < live.length) return [];
    return phones.filter(device => !s.starts[device.token]);
  }
  const begun = Object.values(s.starts);
  return phones.filter(device => {
    if (begun.some(start => !start.claimed && (start.status === 'pending' || start.status === 'ok') && start.startToken === device.startToken)) return false;
    const start = s.starts[device.token];
    if (start && !start.claimed && (start.status === 'pending' || start.status === 'ok')) return false;
    if (explicit) return true;
    return !s.had && (!start || start.startToken !== device.startToken);
  });
}

// ---------------------------------------------------------------------------------------------------- calls
class Refused extends Error {}
const text = (value, most) => { if (typeof value !== 'string' || !value || (most && [...value].length > most)) throw new Refused(); return value; };
const optional = (value, most) => (value === undefined || value === null ? undefined : text(value, most));

function registerDevice(body) {
  const owner = hash(text(body.secret)), token = text(body.deviceToken, 255), bundle = optional(body.bundleId, 255) || args.topic;
  const claimed = body.apnsEnv === undefined || body.apnsEnv === null ? 'production' : body.apnsEnv;
  if (claimed !== 'production' && claimed !== 'sandbox') throw new Refused();
  const startToken = optional(body.pushToStartToken, 255);
  const old = devices.get(`${owner}|${token}`);
  const device = old || { owner, token, startToken: null, env: claimed, claimed, version: 0 };
  if (old && old.claimed !== claimed) device.env = claimed;
  Object.assign(device, { bundle, claimed, version: device.version + 1, at: clock.now() });
  if (startToken) { device.startToken = startToken; device.startAt = clock.now(); } else if (bug(22)) device.startToken = null;
  devices.set(`${owner}|${token}`, device);
  saveDevice(device);
  return { ok: true };
}
function unregisterDevice(body) {
  const device = devices.get(`${hash(text(body.secret))}|${text(body.deviceToken)}`);
  if (device) dropDevice(device);
  return { ok: true };
}
function registerActivity(body) {
  const owner = hash(text(body.secret)), id = text(body.sessionID, 255), token = text(body.activityToken, 255), bundle = optional(body.bundleId, 255) || args.topic;
  const s = sessionOf(owner, id, true);
  const phones = devicesOf(owner);
  if (phones.length > 1 && !bug(15)) s.many = true;
  const now = clock.now();
  let card = s.cards.find(one => one.token === token);
  const env = phones.length && phones.every(device => device.env === 'sandbox') ? 'sandbox' : 'production';
  const replaced = !card && !s.many && s.cards.find(one => s.over || !one.ending);
  s.had = true;
  if (card) {
    Object.assign(card, { version: card.version + 1, at: now, bundle });
    if (card.ending && !s.over) { card.ending = false; card.pend = null; card.born = now; watchAge(s, card); }
  } else if (replaced) {
    card = replaced;
    Object.assign(card, { token, bundle, version: card.version + 1, at: now });
    s.goodbyes++;
    const flight = card.flying;
    if (flight) clock.after(make.patience, () => {
      if (card.gone || card.flying !== flight || card.pend !== flight.push || bug(7)) return;
      // The old token's answer stays out: the new one is told.
      const again = { ...flight.push, job: undefined, sending: false, id: crypto.randomUUID() };
      flight.push.sending = true; card.pend = again; card.flying = null; kick(s, card);
    });
  } else {
    const start = Object.values(s.starts).find(one => one.status === 'ok' && !one.claimed);
    card = { token, bundle, env, version: 1, at: now, born: start ? start.at : now, done: s.many ? 0 : s.seen, pend: null, stamp: s.stamp || 0, ending: false };
    s.cards.push(card);
    watchAge(s, card);
    if (s.over && start && s.final) tell(s, card, { seq: ++s.seq, event: 'end', priority: 10, state: s.final });
  }
  // A start is adopted; those that still wait are not needed any more.
  const starts = Object.values(s.starts);
  if (s.many) { const one = starts.find(start => start.status === 'ok' && !start.claimed); if (one) one.claimed = true; } else starts.forEach(start => { if (start.status === 'ok') start.claimed = true; });
  if (!s.many || s.cards.length >= phones.length) starts.forEach(start => { if (start.status === 'pending') { start.status = 'cancelled'; start.claimed = true; } });
  if (!s.over && s.latest && s.latest.held && s.latest.seq > card.done && !card.pend && !card.ending) {
    tell(s, card, { seq: s.latest.seq, event: 'update', state: s.latest.state, tick: s.latest.tick, priority: bug(18) ? make.tickPriority : s.latest.priority });
  }
  saveSession(s);
  kick(s, card);
  return { ok: true };
}
function unregisterActivity(body) {
  const s = sessionOf(hash(text(body.secret)), text(body.sessionID), false);
  if (!s) return { ok: true };
  const newest = Math.max(0, ...living(s).map(card => card.at));
  // It may be the goodbye of an activity that another has replaced.
  if (s.goodbyes > 0 && living(s).length && clock.now() - newest < 30e3 && !bug(21)) { s.goodbyes--; saveSession(s); return { ok: true }; }
  s.goodbyes = Math.max(0, s.goodbyes - 1);
  for (const card of [...s.cards]) removeCard(s, card);
  saveSession(s);
  return { ok: true };
}

const kinds = new Set(['complete', 'permission', 'error', 'progress', 'start']);
const states = new Set(['working', 'retry', 'permission', 'complete', 'error']);
function stateOf(s, event, told, title, body) {
  const from = told && typeof told === 'object' ? told : {};
  const word = value => (typeof value === 'string' ? value : undefined);
  const status = states.has(from.status) ? from.status : event === 'progress' || event === 'start' ? 'working' : event;
  let retryInfo = status === 'retry' ? word(from.retryInfo) || 'Retrying' : null;
  if (bug(4)) { retryInfo = word(from.retryInfo) || (event === 'progress' || event === 'permission' ? s.retryInfo || null : null); s.retryInfo = retryInfo; }
  return { status, sessionTitle: word(from.sessionTitle) !== undefined ? from.sessionTitle : title, lastMessage: word(from.lastMessage) !== undefined ? from.lastMessage : body, retryInfo };
}
async function event(body) {
  const owner = hash(text(body.secret)), id = text(body.sessionID, 255), kind = text(body.eventType);
  if (!kinds.has(kind)) throw new Refused();
  const serverID = optional(body.serverID), title = optional(body.title) || words[kind][0], message = optional(body.body) || words[kind][1];
  if (body.contentState !== undefined && body.contentState !== null && (typeof body.contentState !== 'object' || Array.isArray(body.contentState))) throw new Refused();
  if (!devicesOf(owner).length && !sessionOf(owner, id, false)) return { ok: true, sent: 0, failed: 0 };
  const s = sessionOf(owner, id, true);

  // The same end twice within five seconds: a session that became idle is told of twice.
  if (kind === 'complete') {
    const same = hash(JSON.stringify([title, message, body.contentState || null])), span = clock.now() - (s.complete ? s.complete.at : 0);
    if (s.complete && (bug(24) ? span < 60e3 : s.over && s.complete.same === same && span < 5e3)) return { ok: true, sent: s.complete.sent || 0, failed: s.complete.failed || 0 };
    s.complete = { same, at: clock.now(), sent: 0, failed: 0 };
  }
  const state = stateOf(s, kind, body.contentState, title, message);
  const seq = ++s.seq;
  const pushes = [];

  // What is to become of the card is settled now; the alerts leave first.
  const alerting = kind === 'complete' || kind === 'permission' || kind === 'error';
  const firsts = [];
  if (alerting) {
    for (const device of devicesOf(owner)) {
      if (device.silent) continue;
      const alert = { id: crypto.randomUUID(), owner, token: device.token, event: kind, session: id, serverID, title, body: message, at: clock.now() };
      alerts.set(alert.id, alert);
      store.put(`p|${alert.id}`, alert);
      const first = runAlert(alert).then(result => { log(owner, kind, id, result); return result; });
      firsts.push(first); pushes.push(first);
      if (bug(25) && (await first).kind !== 'ok') break;
    }
  }
  const ended = kind === 'complete' || kind === 'error' ? close(s, state) : null;
  if (firsts.length) {
    let wait;
    await Promise.race([Promise.all(firsts), new Promise(resolve => { wait = clock.after(1000, resolve); })]);
    clock.cancel(wait);
  }
  const cards = ended ? ended.filter(card => !card.gone).map(card => tell(s, card, { seq, event: 'end', priority: 10, state })) : show(s, kind, state, seq, title, message);
  const counted = alerting ? pushes : cards;
  if (make.early && kind === 'progress') return { ok: true, sent: counted.length, failed: 0 };
  const results = new Array(counted.length).fill(null);
  let timer;
  await Promise.race([
    Promise.all([...counted.map((one, n) => one.then(result => { results[n] = result; })), ...(alerting && !make.early ? cards : [])]),
    new Promise(resolve => { timer = clock.after(make.answerWithin, resolve); }),
  ]);
  clock.cancel(timer);
  const sent = results.filter(result => result && (result.kind === 'ok' || result === true)).length;
  if (kind === 'complete' && s.complete) { s.complete.sent = sent; s.complete.failed = counted.length - sent; saveSession(s); }
  return { ok: true, sent, failed: counted.length - sent };
}
// The session is over: what waits to be shown or started is not any more.
function close(s, state) {
  const cards = living(s);
  s.over = true; s.final = state; s.latest = null; s.ended = clock.now();
  s.goodbyes += cards.length;
  if (!bug(23)) for (const start of Object.values(s.starts)) if (start.status === 'pending' && !start.running) start.status = 'cancelled';
  for (const card of cards) {
    card.ending = true;
    if (card.pend && !card.pend.sending && !bug(14)) { clock.cancel(card.timer); if (card.pend.first) card.pend.first(); card.pend = null; }
  }
  saveSession(s);
  return cards;
}
// What an event that ends nothing makes of the card.
function show(s, kind, state, seq, title, message) {
  const out = [];
  const soon = (one, held) => out.push(Promise.resolve(one).then(result => result || { kind: held ? 'ok' : 'skip' }));
  if (kind === 'start' && s.over) Object.assign(s, { over: false, had: false, latest: null, final: null, starts: {}, started: 0, seen: seq - 1 });
  if (s.over || seq <= s.seen || (s.latest && s.latest.seq > seq)) return out;
  s.shown = state;
  const tick = kind === 'progress', priority = kind === 'permission' ? 10 : tick ? make.tickPriority : make.statePriority;
  const phones = startable(s, kind === 'start');
  const live = living(s);
  if (phones.length) s.startSeq = seq;
  const began = Object.values(s.starts).some(start => !start.claimed && (start.status === 'ok' || start.status === 'pending'));
  const held = kind === 'permission' || (kind === 'progress' && !phones.length) || (kind === 'start' && !phones.length && began && !live.length);
  s.latest = { seq, state, tick, priority, held };
  for (const device of phones) {
    const start = { id: crypto.randomUUID(), status: 'pending', seq, event: kind, state, title, body: message, startToken: device.startToken };
    s.starts[device.token] = start;
    saveSession(s);
    out.push(runStart(s, device.token, start));
  }
  for (const card of live) soon(tell(s, card, { seq, event: 'update', tick, priority, state }), true);
  saveSession(s);
  return out;
}

// ---------------------------------------------------------------------------------------------------- HTTP
const posts = { '/v1/device/register': registerDevice, '/v1/device/unregister': unregisterDevice, '/v1/activity/register': registerActivity,
  '/v1/activity/unregister': unregisterActivity, '/v1/event': event };
const server = http.createServer((request, response) => {
  const path = request.url.split('?')[0];
  const reply = (status, value) => {
    const body = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  const work = posts[path];
  if (request.method === 'GET' && path === '/health') return reply(200, { ok: true, devices: devices.size, deliveries });
  clock.calls[0]++; clock.reading++;
  let answered = false;
  let read = false;
  const whole = () => { if (!read) { read = true; clock.reading--; clock.touch(); } };
  const over = () => { whole(); if (!answered) { answered = true; clock.calls[1]++; clock.touch(); } };
  response.on('finish', over); response.on('close', over);
  const parts = [];
  let size = 0;
  request.on('data', part => { size += part.length; if (size <= 1 << 20) parts.push(part); });
  request.on('error', () => {});
  request.on('end', async () => {
    whole();
    if (request.method === 'GET' && path === '/') return reply(200, { ok: true });
    if (!work || request.method !== 'POST') return reply(404, { ok: false, error: 'Not found' });
    if (size > 1 << 20) return reply(413, { ok: false, error: 'Too large' });
    try {
      let body;
      try { body = JSON.parse(Buffer.concat(parts).toString('utf8')); } catch (e) { throw new Refused(); }
      if (!body || typeof body !== 'object' || Array.isArray(body)) throw new Refused();
      reply(200, await work(body));
    } catch (error) {
      if (error instanceof Refused) reply(400, { ok: false, error: 'Invalid request body' });
      else { console.error(error); reply(500, { ok: false, error: 'Internal error' }); }
    }
  });
});
server.keepAliveTimeout = 120e3;
server.headersTimeout = 125e3;

async function begin() {
  const all = store.load();
  provider.load(all);
  openHosts();
  await clock.join(args.clock);
  for (const [key, value] of all) {
    if (key.startsWith('d|')) devices.set(`${value.owner}|${value.token}`, value);
    else if (key.startsWith('l|')) deliveries = Math.max(deliveries, Number(key.slice(2)));
    else if (key.startsWith('p|')) alerts.set(value.id, value);
    else if (key.startsWith('s|')) {
      if (value.over && clock.now() - (value.ended || 0) > 24 * 3600e3) { store.put(key, null); continue; }
      for (const card of value.cards) { card.ticked = card.tickedAt === undefined ? undefined : clock.since() - (clock.now() - card.tickedAt); card.tried = 0; }
      sessions.set(value.key, value);
    }
  }
  const [host, port] = (args.listen || `127.0.0.1:${args.port || 8787}`).split(/:(?=\d+$)/);
  server.listen(Number(port), host, () => {
    for (const alert of alerts.values()) runAlert(alert).then(result => log(alert.owner, alert.event, alert.session, result));
    for (const s of sessions.values()) {
      for (const [token, start] of Object.entries(s.starts)) if (start.status === 'pending') { if (s.over && !bug(23)) start.status = 'cancelled'; else runStart(s, token, start); }
      for (const card of [...s.cards]) {
        if (card.ending && !card.pend && s.final) tell(s, card, { seq: ++s.seq, event: 'end', priority: 10, state: s.final });
        else { if (!card.ending) watchAge(s, card); kick(s, card); }
      }
    }
    clock.touch();
  });
}
process.on('SIGTERM', () => {
  server.close();
  const end = Date.now() + 1500;
  const wait = () => { if (clock.pushes[0] === clock.pushes[1] || Date.now() > end) process.exit(0); setTimeout(wait, 20); };
  wait();
});
process.on('SIGINT', () => process.exit(0));
process.on('unhandledRejection', error => { console.error(error); });
begin().catch(error => { console.error(error); process.exit(1); });
