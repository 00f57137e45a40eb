#!/usr/bin/env node
// A push relay for Epilogue: reading sessions of many hours, shown by Live Activities that are replaced before the
// system ends them. One process, one file of state (JSON lines), no packages.
'use strict';
const http = require('http');
const http2 = require('http2');
const crypto = require('crypto');
const fs = require('fs');

// ---------------------------------------------------------------- settings
const env = process.env;
const VARIANT = env.VARIANT || 'honest-0';
const H = VARIANT.startsWith('honest-') ? Number(VARIANT.slice(7)) : 0;
const D = VARIANT.startsWith('defect-') ? Number(VARIANT.slice(7)) : 0;
const bug = (n) => D === n;
const is = (n) => H === n;

const S = 1000, M = 60 * S, HOUR = 60 * M;
const WINDOW = 15 * S;
const RESTART_AGE = 6 * HOUR + 50 * M;
const RESTART_SPREAD = 54 * S;
const ADOPT_WITHIN = 60 * S;
const PUSH_TIMEOUT = is(5) ? 8 * S : is(6) ? 25 * S : 15 * S;
const TOKEN_AGE = bug(15) ? 90 * M : is(1) ? 30 * M : is(5) ? 40 * M : 50 * M;
const POOL = is(2) ? 8 : is(4) ? 2 : 1;
const DEBOUNCE = is(4) ? 2 * S : 0;
const CARD_LIFE = 8 * HOUR;
const ATTRIBUTES_TYPE = 'AmbientActivityAttributes';
const EPOCH_2001 = 978307200;
const HOSTS = { production: env.APNS_URL, sandbox: env.APNS_SANDBOX_URL || env.APNS_URL };
const TOPIC = env.APNS_TOPIC;
const STORAGE = env.STORAGE || 'relay.jsonl';
const [listenHost, listenPort] = (env.LISTEN || '127.0.0.1:8787').split(/:(?=\d+$)/);
const say = (...words) => console.log(new Date(clock.now()).toISOString(), ...words);

// ---------------------------------------------------------------- time
// The system's clock, one that runs faster, or one that is stepped from outside (then this process takes part in it).
const clock = {
  mode: 'real', scale: 1, at: 0, shows: 0,
  elapsed: 0, wall: 0, timers: [],
  busy: 0, taken: 0, answered: 0, sent: 0, settled: 0,
  said: '', statement: 0, waiting: false, planned: false,

  now() {
    if (this.mode === 'stepped') return Math.floor(this.wall / 1000);
    return this.scale === 1 ? Date.now() : Math.round(this.shows + (Date.now() - this.at) * this.scale);
  },
  after(ms, run) {
    if (this.mode !== 'stepped') {
      const timer = { run, due: this.now() + ms };
      const arm = (left) => { // what lies far ahead goes by the time of day, also where that is set or the machine has slept
        const step = left > M ? left / 2 : left;
        timer.real = setTimeout(() => (step < left ? arm(Math.max(0, timer.due - this.now())) : run()), Math.max(0, step) / this.scale);
      };
      arm(ms);
      return timer;
    }
    const timer = { run, due: this.elapsed + Math.max(1, Math.round(ms * 1000)) };
    let place = this.timers.length;
    while (place > 0 && this.timers[place - 1].due > timer.due) place--;
    this.timers.splice(place, 0, timer);
    this.touch();
    return timer;
  },
  cancel(timer) {
    if (!timer) return;
    if (timer.real) clearTimeout(timer.real);
    const at = this.timers.indexOf(timer);
    if (at >= 0) this.timers.splice(at, 1);
  },
  sleep(ms) { return new Promise((done) => this.after(ms, done)); },

  // --- taking part in a stepped clock
  async begin(spec) {
    if (!spec) return;
    if (!/^https?:/.test(spec)) {
      const read = Object.fromEntries(spec.split(',').map((part) => part.split('=')));
      this.scale = Number(read.scale || 1);
      this.at = Number(read.at || 0);
      this.shows = Number(read.shows || 0); return;
    }
    this.base = spec.replace(/\/$/, '');
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
    const me = await this.post('/v1/clock/participants', { name: 'epilogue-relay' });
    this.id = me.id;
    this.take(me); this.mode = me.scale > 0 ? 'real' : 'stepped';
    if (me.scale > 0) this.run(me);
  },
  run(word) { this.mode = 'real'; this.scale = word.scale; this.at = Date.now(); this.shows = word.wall / 1000; },
  take(word) { this.elapsed = word.elapsed; this.wall = word.wall; },
  post(path, body) {
    return new Promise((done, fail) => {
      const request = http.request(this.base + path, { method: 'POST', agent: this.agent, headers: { 'content-type': 'application/json' } }, (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('end', () => { try { done(JSON.parse(Buffer.concat(parts))); } catch (e) { fail(e); } });
      });
      request.on('error', fail);
      request.end(JSON.stringify(body));
    });
  },
  touch() {
    if (this.mode !== 'stepped' || this.planned) return;
    this.planned = true;
    setImmediate(() => setImmediate(() => { this.planned = false; this.state(); }));
  },
  work(by) { this.busy += by; this.touch(); },
  async state() {
    if (this.mode !== 'stepped' || this.busy > 0) return;
    const until = this.timers.length ? this.timers[0].due : null;
    if (until !== null && until <= this.elapsed) { this.due(); return; }
    const body = { elapsed: this.elapsed, until, calls: [this.taken, this.answered], pushes: [this.sent, this.settled] };
    const text = JSON.stringify(body);
    if (this.waiting && text === this.said) return;
    this.said = text; this.waiting = true;
    const mine = ++this.statement;
    let word;
    try { word = await this.post(`/v1/clock/participants/${this.id}`, body); } catch (e) {
      if (mine === this.statement) { this.waiting = false; setTimeout(() => this.touch(), 200); }
      return;
    }
    if (mine === this.statement) this.waiting = false;
    if (word.scale > 0) {
      const timers = this.timers.splice(0), from = this.elapsed;
      this.run(word);
      for (const timer of timers) this.after((timer.due - from) / 1000, timer.run);
      return;
    }
    if (word.elapsed > this.elapsed) { this.take(word); this.due(); }
    if (mine === this.statement) this.touch();
  },
  due() {
    while (this.timers.length && this.timers[0].due <= this.elapsed) this.timers.shift().run();
    this.touch();
  },
};

// ---------------------------------------------------------------- state on disk
const devices = new Map();   // secret -> the phone
const sessions = new Map();  // secret and session -> the session
let provider = null;         // { jwt, at, kid }
const keep = (name, value) => (name.startsWith('_') ? undefined : value);
const write = (row) => fs.appendFileSync(STORAGE, JSON.stringify(row, keep) + '\n');
const saveDevice = (device) => write({ kind: 'device', row: device });
function saveSession(s) {
  if (bug(17) && s.card && s.seq > s.card.shown) return; // what the card shows is what is kept
  write({ kind: 'session', row: s });
}
function load() {
  let text = '';
  try { text = fs.readFileSync(STORAGE, 'utf8'); } catch { return; }
  for (const line of text.split('\n')) {
    if (!line) continue;
    let entry;
    try { entry = JSON.parse(line); } catch { continue; } // a line that was cut by the end of the process
    if (entry.kind === 'device') devices.set(entry.row.secret, entry.row);
    if (entry.kind === 'session') sessions.set(keyOf(entry.row.secret, entry.row.id), entry.row);
    if (entry.kind === 'provider') provider = entry.row;
  }
  const fresh = STORAGE + '.new';
  const rows = [...[...devices.values()].map((row) => ({ kind: 'device', row })), ...[...sessions.values()].map((row) => ({ kind: 'session', row }))];
  if (provider) rows.push({ kind: 'provider', row: provider });
  fs.writeFileSync(fresh, rows.map((row) => JSON.stringify(row) + '\n').join(''));
  fs.renameSync(fresh, STORAGE);
}
const keyOf = (secret, id) => JSON.stringify([secret, id]);

// ---------------------------------------------------------------- the provider token
const signingKey = crypto.createPrivateKey(fs.readFileSync(env.APNS_KEY_FILE));
let signedForRefusal = -Infinity;
function sign() {
  const now = clock.now();
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ alg: 'ES256', kid: env.APNS_KEY_ID }) + '.' + part({ iss: env.APNS_TEAM_ID, iat: Math.floor(now / 1000) });
  const signature = crypto.sign('sha256', Buffer.from(head), { key: signingKey, dsaEncoding: 'ieee-p1363' });
  return { jwt: head + '.' + signature.toString('base64url'), at: now, kid: env.APNS_KEY_ID };
}
function providerToken(connection) {
  const now = clock.now();
  if (bug(16)) { // each connection has one of its own
    if (!connection.provider || now - connection.provider.at >= TOKEN_AGE) connection.provider = sign();
    return connection.provider.jwt;
  }
  if (!provider || provider.kid !== env.APNS_KEY_ID || now - provider.at >= TOKEN_AGE || provider.at - now > HOUR) renew();
  return provider.jwt;
}
function renew() {
  provider = sign();
  write({ kind: 'provider', row: provider });
}
function refusedProvider(jwt) {
  if (!provider || provider.jwt !== jwt) return;
  if (clock.now() - signedForRefusal < 20 * M) return;
  signedForRefusal = clock.now();
  renew();
}

// ---------------------------------------------------------------- connections to APNs
class Connection {
  constructor(url) {
    this.url = url; this.queue = [];
    this.running = new Set(); this.session = null; this.ready = false;
  }
  send(item) { this.queue.push(item); this.pump(); }
  open() {
    const session = http2.connect(this.url, { ca: fs.readFileSync(env.APNS_CA_FILE), settings: { enablePush: false } });
    this.session = session; this.ready = false; this.provider = null;
    clock.work(1);
    let connecting = true;
    const connected = (fine) => {
      if (!connecting) return;
      connecting = false;
      clearTimeout(patience);
      if (fine && this.session === session) { this.ready = true; this.pump(); }
      if (!fine) {
        if (this.session === session) this.session = null;
        session.destroy();
        for (const item of this.queue.splice(0)) item.done({ error: 'connect' });
      }
      clock.work(-1);
    };
    const patience = setTimeout(() => connected(false), 8000);
    session.once('remoteSettings', () => connected(true));
    session.on('remoteSettings', () => this.pump());
    session.on('goaway', (code, last, data) => { say('goaway', code, last, String(data || '')); this.leave(session); });
    session.on('error', (e) => { say('connection', e.code || e.message); connected(false); this.leave(session); });
    session.on('close', () => { connected(false); this.leave(session); clock.touch(); });
    // A connection that is half dead is noticed while nothing is pushed.
    const probe = setInterval(() => {
      if (session.destroyed || session.closed) return clearInterval(probe);
      let heard = false;
      try { session.ping(() => { heard = true; }); } catch { return; }
      setTimeout(() => { if (!heard && !session.destroyed) session.destroy(); }, 10000).unref();
    }, 60000);
    probe.unref();
  }
  leave(session) {
    if (this.session !== session) return;
    this.session = null; this.ready = false;
    if (this.queue.length) this.pump();
  }
  // No new stream here any more; what is under way may finish.
  retire(session) {
    if (!session || this.session !== session) return;
    this.leave(session);
    session.close();
  }
  pump() {
    if (!this.queue.length) return;
    if (!this.session || this.session.destroyed || this.session.closed) { this.session = null; this.open(); return; }
    if (!this.ready) return;
    const granted = this.session.remoteSettings?.maxConcurrentStreams ?? 100;
    const most = Math.min(granted, is(3) ? 20 : 500);
    while (this.queue.length && this.ready && this.count(this.session) < most) this.transmit(this.queue.shift());
  }
  count(session) { return [...this.running].filter((one) => one.session === session).length; }
  transmit(item) {
    const session = this.session;
    const one = { session };
    const jwt = providerToken(this);
    let stream, settled = false, status = 0, timer = null;
    const parts = [];
    const settle = (result) => {
      if (settled) return;
      settled = true; clock.cancel(timer);
      this.running.delete(one);
      if (stream) clock.settled++;
      item.done({ ...result, jwt, connection: this, session });
      this.pump();
      clock.touch();
    };
    try {
      stream = session.request({ ':method': 'POST', ':path': `/3/device/${item.token}`, authorization: `bearer ${jwt}`, ...item.headers });
    } catch {
      this.leave(session);
      return settle({ error: 'refused' });
    }
    clock.sent++;
    this.running.add(one);
    stream.on('response', (headers) => { status = headers[':status']; });
    stream.on('data', (part) => parts.push(part));
    stream.on('end', () => {
      if (!status) return;
      let body = {};
      try { body = JSON.parse(Buffer.concat(parts).toString() || '{}'); } catch { /* no JSON */ }
      settle({ status, reason: body.reason || '', timestamp: body.timestamp });
    });
    stream.on('error', () => {});
    stream.on('close', () => settle({ error: stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'lost' }));
    timer = clock.after(PUSH_TIMEOUT, () => {
      settle({ error: 'timeout' });
      stream.close(http2.constants.NGHTTP2_CANCEL);
      this.retire(session);
    });
    stream.end(item.body);
  }
}
const pools = { production: [], sandbox: [] };
function connectionFor(environment, user) {
  const pool = pools[environment];
  const at = POOL === 1 ? 0 : crypto.createHash('sha1').update(user).digest()[0] % POOL;
  return (pool[at] ??= new Connection(HOSTS[environment]));
}
let stopping = false, inFlight = 0;
function exchange(environment, user, push) {
  inFlight++;
  return new Promise((done) => {
    connectionFor(environment, user).send({ ...push, done: (result) => { inFlight--; done(result); } });
  });
}

// ---------------------------------------------------------------- what an answer means
const other = (environment) => (environment === 'sandbox' ? 'production' : 'sandbox');
function meaning(result, registeredAt) {
  if (result.error) return 'later';
  const { status, reason } = result;
  if (status === 200) return 'ok';
  if (status === 410) {
    if (bug(4) && reason !== 'Unregistered') return 'no';
    const died = typeof result.timestamp === 'number' ? result.timestamp : Infinity;
    return died < registeredAt && !bug(5) ? 'no' : 'dead';
  }
  if (reason === 'BadDeviceToken') return 'elsewhere';
  if (reason === 'BadEnvironmentKeyInToken' || reason === 'BadEnvironmentKeyIdInToken') return 'environment';
  if (status === 403 && /ProviderToken$/.test(reason)) return 'credential';
  if (bug(3) && status === 400) return 'dead';
  if (status === 429 || status >= 500) return 'later';
  return 'no';
}
// One push, with what may be tried again at once: the other environment, another provider token, another connection.
// `make` says what is to be sent by now; null: nothing any more.
async function deliver(user, make, atHome = false) {
  let moved = false, signed = false, resent = 0, home = null, first = null;
  for (;;) {
    const push = make();
    if (!push || stopping) return { outcome: 'moot' };
    const environment = moved ? other(home) : push.environment;
    const at = clock.now();
    const result = await exchange(environment, user, push);
    let outcome = meaning(result, push.registeredAt);
    if (result.error || result.status !== 200) say('push', push.headers['apns-id'] || '', result.error || `${result.status} ${result.reason}`);
    if (outcome === 'elsewhere' || outcome === 'environment') {
      first ??= outcome; // what speaks of the key kills no token
      if (!moved && !atHome && HOSTS.sandbox !== HOSTS.production) { home = environment; moved = true; continue; }
      outcome = first === 'elsewhere' ? 'dead' : 'no';
    }
    if (outcome === 'credential') {
      refusedProvider(result.jwt);
      result.connection.retire(result.session);
      if (!signed && (bug(16) || provider.jwt !== result.jwt)) { signed = true; continue; }
      outcome = 'later';
    }
    if (outcome === 'later' && result.status >= 500) result.connection.retire(result.session);
    if (result.error === 'refused' || result.error === 'lost') {
      if (bug(14)) return { outcome: 'no', at, push, result, environment };
      if (result.error === 'lost') result.connection.retire(result.session);
      if (resent < (result.error === 'refused' ? 5 : 1)) {
        resent++;
        if (resent > 1) await clock.sleep(100 * resent);
        continue;
      }
    }
    return { outcome, at, push, result, environment };
  }
}
function backOff(failures) {
  if (bug(13)) return 200;
  const first = is(1) ? 1.5 * S : is(5) ? 1.05 * S : 1.1 * S;
  const pause = Math.min(first * 2 ** (failures - 1), 5 * M);
  return is(1) ? pause : pause * (1 + Math.random() * 0.15);
}

// ---------------------------------------------------------------- what is pushed
const TEXTS = ['bookTitle', 'coverAccentHex', 'nudgeMessage', 'nudgeIcon'];
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
function cut(text, most) {
  if (text.length <= most) return text;
  let kept = '', count = 0;
  for (const { segment } of graphemes.segment(text)) {
    if ((count += [...segment].length) > most) break;
    kept += segment;
  }
  return kept;
}
function contentState(s, seconds, event) {
  const c = s.content;
  const state = {
    sessionDuration: Math.max(0, seconds - Math.floor(s.began / 1000)),
    capturedCount: c.capturedCount, isListening: c.isListening, pagesRead: c.pagesRead,
    lastTranscript: bug(24) && event === 'start' ? c.lastTranscript : cut(c.lastTranscript, 200),
  };
  for (const name of TEXTS) if (c[name] !== null) state[name] = c[name]; else if (is(6)) state[name] = null;
  if (bug(11) && event === 'start' && s.card) { state.isListening = true; delete state.nudgeMessage; delete state.nudgeIcon; }
  return state;
}
function fit(payload) {
  let body = JSON.stringify(payload);
  const state = payload.aps['content-state'];
  for (const name of ['lastTranscript', 'nudgeMessage', 'bookTitle']) {
    while (Buffer.byteLength(body) > 4096 && !bug(24) && typeof state[name] === 'string' && state[name].length > 0) {
      state[name] = cut(state[name], Math.floor([...state[name]].length * 0.75));
      if (name === 'bookTitle' && payload.aps.alert) payload.aps.alert.title = state[name] || 'Epilogue';
      body = JSON.stringify(payload);
    }
  }
  return body;
}
function uuid(...parts) {
  const hex = crypto.createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
// The stamps of one card rise, whole seconds each.
function compose(s, event, card, more, headers, id) {
  const now = clock.now();
  const seconds = Math.max(Math.floor(now / 1000), (card?.stamp || 0) + 1);
  const state = contentState(s, seconds, event);
  const extra = typeof more === 'function' ? more(seconds) : more;
  const aps = is(1) ? { ...extra, 'content-state': state, event, timestamp: seconds } : { timestamp: seconds, event, 'content-state': state, ...extra };
  if (is(1) && event !== 'end') { aps['stale-date'] = seconds + 8 * 3600; aps['relevance-score'] = 75; }
  const payload = is(1) ? { eventID: s.eventID ?? undefined, aps } : { aps, eventID: s.eventID ?? undefined };
  return {
    headers: {
      'apns-topic': `${s.topic || TOPIC}.push-type.liveactivity`, 'apns-push-type': 'liveactivity', ...headers,
      ...(is(6) ? {} : { 'apns-id': uuid(s.secret, s.id, s.life, event, ...id) }),
    },
    body: fit(payload), seq: s.seq, seconds,
  };
}

// ---------------------------------------------------------------- sessions
const deviceOf = (s) => devices.get(s.secret);
const freshContent = () => ({ bookTitle: null, capturedCount: 0, isListening: true, lastTranscript: '', pagesRead: 0, coverAccentHex: null, nudgeMessage: null, nudgeIcon: null });
function newSession(secret, id) {
  const s = {
    secret, id, life: 0, active: false, begun: false, began: clock.now(), content: freshContent(), seq: 0, urgentSeq: 0,
    eventID: null, topic: null, card: null, leaving: [], start: null, pending: [], replaced: [],
  };
  sessions.set(keyOf(secret, id), s); return s;
}
function newLife(s, begun) {
  // What still leaves shows the life that it belongs to.
  for (const card of s.leaving) card.final ??= { content: s.content, eventID: s.eventID, began: s.began, life: s.life, seq: s.seq };
  s.life++; s.active = true; s.begun = begun;
  s.began = clock.now();
  s.content = freshContent(); s.urgentSeq = 0; s.eventID = null; s.start = null;
  for (const start of s.pending) start.seq = -1;
}
function retireToken(s, token) {
  if (!token || s.replaced.includes(token)) return;
  s.replaced.push(token);
  if (s.replaced.length > 64) s.replaced.shift();
}
const newCard = (s, token, since, shown) => ({
  token, since, shown, registeredAt: clock.now(), environment: deviceOf(s)?.environment || 'production',
  windowUntil: 0, retryAt: 0, failures: 0, stamp: 0, end: null, gone: false,
});

// --- updates and ends of one card, one push at a time
function pumpCard(s, card) {
  if (card._busy || card.gone || stopping) return;
  clock.cancel(card._timer); card._timer = null;
  const what = card.end ? 'end' : s.active && s.card === card && s.seq > card.shown ? 'update' : null;
  if (!what) return;
  const now = clock.now();
  let at = card.retryAt;
  if (what === 'update' && s.urgentSeq <= card.shown) at = Math.max(at, card.windowUntil, (s._toldAt || 0) + DEBOUNCE);
  if (bug(1) && what === 'update' && s.urgentSeq <= card.shown && now < card.windowUntil && card.nudged) return;
  if (now < at) {
    card._timer = clock.after(at - now, () => { card._timer = null; pumpCard(s, card); });
    return;
  }
  card._busy = true;
  (what === 'end' ? sendEnd(s, card) : sendUpdate(s, card)).finally(() => {
    card._busy = false;
    if (stopping) return;
    settleSession(s);
    pump(s);
  });
}
async function sendUpdate(s, card) {
  const snapshot = bug(2) ? card._retry : null;
  const done = await deliver(s.secret, () => {
    if (card.gone || card.end || s.card !== card) return null;
    const urgent = s.urgentSeq > card.shown;
    const push = snapshot || compose(s, 'update', card, {}, { 'apns-priority': urgent ? '10' : '5' }, [card.token, s.seq]);
    card._retry = push;
    return { ...push, token: card.token, environment: card.environment, registeredAt: card.registeredAt, urgent };
  });
  if (done.outcome === 'moot') return;
  const { push, outcome } = done;
  if (outcome === 'ok') {
    card.environment = done.environment;
    card.shown = snapshot ? s.seq : Math.max(card.shown, push.seq);
    card.stamp = Math.max(card.stamp, push.seconds); card.windowUntil = done.at + WINDOW; card.nudged = push.urgent;
    card.failures = 0; card.retryAt = 0; card._retry = null;
  } else if (outcome === 'dead') {
    if (card.token === push.token && card.registeredAt === push.registeredAt) forget(s, card);
    else card.retryAt = clock.now() + S; // registered again while it was on its way
  } else if (outcome === 'no') {
    card.shown = Math.max(card.shown, push.seq); card.failures = 0; card._retry = null;
  } else {
    card.failures++;
    card.retryAt = clock.now() + backOff(card.failures);
  }
}
function forget(s, card) {
  card.gone = true;
  const device = deviceOf(s);
  if (bug(22) && device) { device.startToken = null; saveDevice(device); } // the row of the phone goes with it
  say('dead token of session', s.id.slice(0, 8));
}
async function sendEnd(s, card) {
  const end = card.end;
  end.since ??= clock.now();
  const done = await deliver(s.secret, () => {
    if (card.gone) return null;
    const push = compose(card.final ? { ...s, ...card.final } : s, 'end', card, (seconds) => ({ 'dismissal-date': seconds + end.dismissAfter }), { 'apns-priority': '10' }, [card.token, s.seq]);
    const environment = bug(23) ? 'production' : card.environment;
    return { ...push, token: card.token, environment, registeredAt: card.registeredAt };
  }, bug(23));
  if (done.outcome === 'moot') return;
  if (done.outcome === 'later' && clock.now() - end.since < 45 * M && !bug(18)) {
    card.failures++;
    card.retryAt = clock.now() + backOff(card.failures); return;
  }
  if (done.outcome === 'ok') card.stamp = Math.max(card.stamp, done.push.seconds);
  card.gone = true;
}
function endCard(s, card, dismissAfter) {
  if (!card || card.gone || card.end) return;
  card.end = { dismissAfter };
  s.leaving.push(card);
}
// --- starts: the first of a session, and those of successors
const pauseAfter = (tries) => Math.min(5 * M * 2 ** (tries - 1), HOUR);
function dueForRestart(s) {
  if (!s.active || !s.card || s.card.gone || s.start) return;
  const spread = crypto.createHash('sha1').update(`${s.secret} ${s.id} ${s.card.since}`).digest().readUInt32BE(0) / 2 ** 32;
  s.start = { restart: true, at: s.card.since + RESTART_AGE + Math.round((2 * spread - 1) * RESTART_SPREAD), tries: 0, failures: 0 };
}
function pumpStart(s) {
  const start = s.start;
  if (!start || start._busy || stopping) return;
  clock.cancel(start._timer); start._timer = null;
  if (!s.active) if (!bug(20) || start.restart || !start.failures) return;
  const device = deviceOf(s);
  if (!device?.startToken) return;
  const now = clock.now();
  if (bug(10) && start.restart && start._loaded) return; // only what this process armed has a timer
  if (now < start.at) {
    start._timer = clock.after(start.at - now, () => { start._timer = null; pumpStart(s); });
    return;
  }
  if (start.restart && s.card?.gone && start.tries === 0) { s.start = null; return; }
  start._busy = true;
  sendStart(s, start).finally(() => {
    start._busy = false;
    if (stopping) return;
    settleSession(s);
    pump(s);
  });
}
async function sendStart(s, start) {
  const device = deviceOf(s);
  const life = s.life;
  const still = () => s.start === start && !start.taken && (s.active || (bug(20) && start.failures)) && device.startToken;
  const done = await deliver(s.secret, () => {
    if (!still()) return null;
    const now = clock.now(); start.sentAt = now; start.seq = s.seq;
    const began = is(1) ? Math.floor(s.began / 1000) : Math.floor(now / 1000);
    const push = compose(s, 'start', null, {
      'attributes-type': ATTRIBUTES_TYPE, attributes: { startTime: began - EPOCH_2001 },
      alert: { title: s.content.bookTitle || 'Epilogue', body: start.restart ? 'Your reading session goes on' : 'Your reading session has begun' },
      'input-push-token': 1,
    }, { 'apns-priority': '10', 'apns-expiration': String(Math.floor(now / 1000) + Math.floor(pauseAfter(start.restart ? start.tries + 1 : 1) / 1000)) }, [s.seq, start.tries, s.card?.since || 0, device.startToken]);
    start.maybe = true;
    saveSession(s);
    return { ...push, token: device.startToken, environment: device.environment, registeredAt: device.startRegisteredAt };
  });
  if (done.outcome === 'moot') return;
  const { outcome, push, at } = done;
  if (outcome === 'ok') {
    if (device.environment !== done.environment) { device.environment = done.environment; saveDevice(device); }
    if (!start.taken) s.pending.push({ at, seq: push.seq, life });
    if (bug(6) && start.restart && s.card) { const old = s.card; s.card = null; retireToken(s, old.token); endCard(s, old, 0); }
    start.failures = 0; start.maybe = false;
    if (s.start !== start) return;
    if (!start.restart) { s.start = null; return; }
    start.tries++;
    if (start.tries >= 4) say('alarm: start', start.tries, 'of session', s.id.slice(0, 8), 'and nobody adopts it');
    start.at = at + pauseAfter(start.tries); return;
  }
  if (done.result.status) { start.maybe = false; s.pending = s.pending.filter((one) => one !== start.flight); }
  if (s.start !== start) return;
  if (outcome === 'dead') {
    if (device.startToken === push.token && device.startRegisteredAt === push.registeredAt) { device.startToken = null; saveDevice(device); }
    start.at = clock.now() + S;
  } else if (outcome === 'no') {
    if (!start.restart) { s.start = null; return; }
    start.tries++;
    start.at = at + pauseAfter(start.tries);
  } else {
    start.failures++;
    const perPhone = done.result.reason === 'TooManyRequests';
    if (start.restart && (perPhone || start.failures > 5)) {
      start.tries++; start.failures = 0;
      start.at = at + pauseAfter(start.tries);
    } else start.at = clock.now() + backOff(start.failures);
  }
}
function settleSession(s) {
  s.leaving = s.leaving.filter((card) => !card.gone);
  const now = clock.now();
  s.pending = s.pending.filter((start) => now - start.at < CARD_LIFE && (start.life === s.life || !s.active || now - start.at < HOUR));
  saveSession(s);
  for (const tell of (s._tell || []).splice(0)) tell();
}
function pump(s) {
  dueForRestart(s);
  pumpStart(s);
  if (s.card) pumpCard(s, s.card);
  for (const card of s.leaving) pumpCard(s, card);
}

// --- a token of an activity
function adoptable(s) {
  if (s.pending.length) {
    const own = s.pending.findIndex((start) => start.life === s.life);
    return s.pending.splice(Math.max(0, own), 1)[0];
  }
  const start = s.start;
  if (start && start.maybe) { start.taken = true; return { at: start.sentAt, seq: start.seq, life: s.life }; }
  return null;
}
function registerActivity(s, token) {
  const now = clock.now();
  const old = s.card;
  if (old && old.token === token) {
    old.registeredAt = now;
    if (bug(7)) { old.since = now; if (s.start?.restart && !s.start.tries) dropStart(s); }
    if (old.gone && s.active) { old.gone = false; old.failures = 0; old.retryAt = 0; }
    return;
  }
  if (s.replaced.includes(token)) {
    if (!(bug(12) && s.active && old)) return;
    retireToken(s, old.token);
    s.replaced = s.replaced.filter((one) => one !== token); old.token = token; return;
  }
  if (s.leaving.some((card) => card.token === token)) return;
  if (!s.active) {
    const orphan = s.life > 0 || s.begun ? adoptable(s) : null;
    if (orphan) { // its session is over: it goes as well
      const late = newCard(s, token, orphan.at, orphan.seq);
      retireToken(s, token);
      endCard(s, late, 0); return;
    }
    if (s.card) retireToken(s, s.card.token);
    newLife(s, false);
    s.card = newCard(s, token, now, s.seq); return;
  }
  const start = adoptable(s);
  if (start) {
    dropStart(s);
    s.card = newCard(s, token, start.at, bug(25) ? s.seq : start.seq);
    if (is(6)) s.card.windowUntil = start.at + WINDOW;
    s.card.stamp = Math.floor(start.at / 1000);
    if (old) { retireToken(s, old.token); endCard(s, old, 0); }
    return;
  }
  if (!old) { // the app has begun it
    if (s.start && !s.start.restart) dropStart(s);
    s.card = newCard(s, token, now, s.seq - 1); return;
  }
  retireToken(s, old.token); // a rotation
  old.token = token; old.registeredAt = now; old.gone = false; old.failures = 0; old.retryAt = 0;
}
function dropStart(s) {
  if (s.start) clock.cancel(s.start._timer);
  s.start = null;
}

// ---------------------------------------------------------------- calls
class Refusal extends Error { constructor(status, text) { super(text); this.status = status; } }
const text = (body, name, needed) => {
  const value = body[name];
  if (value === undefined || value === null) { if (needed) throw new Refusal(400, `${name} is missing`); return null; }
  if (typeof value !== 'string' || (needed && !value)) throw new Refusal(400, `${name} is no text`);
  if (value.length > 255) throw new Refusal(400, `${name} is too long`);
  return value;
};
function readContent(body) {
  const news = {};
  for (const name of [...TEXTS, 'lastTranscript']) {
    if (!(name in body)) continue;
    if (body[name] !== null && typeof body[name] !== 'string') throw new Refusal(400, `${name} is no text`);
    if (bug(21) && body[name] == null) continue;
    news[name] = name === 'lastTranscript' ? body[name] ?? '' : body[name];
  }
  for (const name of ['capturedCount', 'pagesRead']) {
    if (!(name in body)) continue;
    if (!Number.isInteger(body[name]) || body[name] < 0) throw new Refusal(400, `${name} is no count`);
    news[name] = body[name];
  }
  if ('isListening' in body) {
    if (typeof body.isListening !== 'boolean') throw new Refusal(400, 'isListening is neither true nor false');
    news.isListening = body.isListening;
  }
  return news;
}
function tell(s, news, eventID, urgent) {
  if (news.capturedCount !== undefined) news.capturedCount = Math.max(news.capturedCount, s.content.capturedCount);
  Object.assign(s.content, news);
  s.seq++;
  if (urgent) s.urgentSeq = s.seq;
  if (eventID !== null) s.eventID = eventID;
  s._toldAt = urgent ? 0 : s._toldAt && s.card && s.seq - 1 > s.card.shown ? s._toldAt : clock.now();
}
function register(secret, body) {
  const deviceToken = text(body, 'deviceToken', true);
  const startToken = text(body, 'pushToStartToken');
  const topic = text(body, 'bundleId');
  const environment = text(body, 'apnsEnv');
  if (environment && !HOSTS[environment]) throw new Refusal(400, 'apnsEnv is unknown');
  for (const token of [deviceToken, startToken]) if (token && !/^[0-9a-fA-F]+$/.test(token)) throw new Refusal(400, 'a token is hexadecimal');
  for (const [owner, device] of devices) { // a phone has one user
    if (owner !== secret && device.deviceToken === deviceToken) { devices.delete(owner); saveDevice({ ...device, startToken: null, deviceToken: null }); }
  }
  const now = clock.now();
  const known = devices.get(secret);
  const device = known || { secret, deviceToken, startToken: null, startRegisteredAt: 0, topic: null, environment: 'production' };
  if (known && known.deviceToken !== deviceToken) device.startToken = null; // another phone
  device.deviceToken = deviceToken;
  if (topic) device.topic = topic;
  if (environment && environment !== device.asked) { device.environment = environment; device.asked = environment; }
  const another = startToken && startToken !== device.startToken;
  if (startToken) { device.startToken = startToken; device.startRegisteredAt = now; }
  else if (bug(8)) device.startToken = null;
  devices.set(secret, device);
  saveDevice(device);
  if (!another) return;
  for (const s of sessions.values()) {
    if (s.secret !== secret || !s.start) continue;
    const start = s.start;
    if (!start.restart && start.failures) start.at = Math.min(start.at, now);
    if (start.restart && start.tries) start.at = Math.min(start.at, Math.max(now, (start.sentAt || 0) + ADOPT_WITHIN));
    pumpStart(s);
  }
}
const routes = {
  '/v1/register-device': (secret, body) => register(secret, body),
  '/v1/register-activity': (secret, body) => {
    const id = text(body, 'sessionID', true), token = text(body, 'activityToken', true);
    if (!/^[0-9a-fA-F]+$/.test(token)) throw new Refusal(400, 'a token is hexadecimal');
    const topic = text(body, 'bundleId');
    const s = sessions.get(keyOf(secret, id)) || newSession(secret, id);
    s.topic = topic || s.topic || devices.get(secret)?.topic || null;
    registerActivity(s, token); return s;
  },
  '/v1/start-session': (secret, body) => {
    const id = text(body, 'sessionID', true), eventID = text(body, 'eventID');
    const news = readContent(body);
    const device = devices.get(secret);
    let s = sessions.get(keyOf(secret, id));
    if (!device?.startToken && !s?.card) throw new Refusal(409, 'No token');
    s ??= newSession(secret, id);
    if (s.active && s.begun) {
      if (bug(9) && !s.card && !s.start) s.start = { restart: false, at: clock.now(), tries: s.seq, failures: 0 };
      if (s.card || s.start || s.pending.length) return s; // it runs: once is enough
      s.start = { restart: false, at: clock.now(), tries: s.seq, failures: 0 };
      return s;
    }
    const waits = s.active && s.card && !s.card.gone;
    if (waits) { s.begun = true; s.began = clock.now(); s.content = freshContent(); } else {
      if (s.card) retireToken(s, s.card.token);
      s.card = null; newLife(s, true);
    }
    s.topic = s.topic || device?.topic || null;
    tell(s, news, eventID, true);
    if (!waits) s.start = { restart: false, at: clock.now(), tries: s.seq, failures: 0 };
    return s;
  },
  '/v1/update-content': (secret, body) => {
    const id = text(body, 'sessionID', true), eventID = text(body, 'eventID');
    const news = readContent(body);
    const s = sessions.get(keyOf(secret, id));
    if (!s || !s.active) throw new Refusal(409, 'No token');
    if (!s.card && !s.pending.length && !s.start && !devices.get(secret)?.startToken) throw new Refusal(409, 'No token');
    tell(s, news, eventID, typeof news.nudgeMessage === 'string');
    if (bug(9) && !s.card && !s.start) s.start = { restart: false, at: clock.now(), tries: s.seq, failures: 0 };
    return s;
  },
  '/v1/end-session': (secret, body) => {
    const id = text(body, 'sessionID', true), eventID = text(body, 'eventID');
    const news = readContent(body);
    const s = sessions.get(keyOf(secret, id));
    if (!s || !s.active) return null;
    const leftover = bug(19) && s.card && s.seq > s.card.shown ? keepTimer(s, s.card) : null;
    tell(s, { ...news, isListening: false }, eventID, true);
    s.active = false;
    if (!(bug(20) && s.start && !s.start.restart && s.start.failures)) {
      if (s.start && s.start._busy && s.start.maybe) keepFlight(s); else {
        if (s.start?.maybe) s.pending.push({ at: s.start.sentAt, seq: s.start.seq, life: s.life });
        dropStart(s);
      }
    }
    if (s.card) {
      if (leftover) leftover();
      retireToken(s, s.card.token);
      endCard(s, s.card, 5); s.card = null;
    }
    return s;
  },
};
function keepTimer(s, card) { // the timer of the window, which nobody takes back
  const view = { ...s, content: { ...s.content } };
  return () => clock.after(Math.max(S, card.windowUntil - clock.now()), () => deliver(s.secret, () => ({
    ...compose(view, 'update', card, {}, { 'apns-priority': '5' }, [card.token, view.seq]), token: card.token, environment: card.environment, registeredAt: card.registeredAt,
  })));
}
// A start that is on its way when its session ends: whatever it brings is ended when it turns up.
function keepFlight(s) {
  const start = s.start;
  start.flight = { at: start.sentAt, seq: start.seq, life: s.life };
  s.pending.push(start.flight); start.taken = true; s.start = null;
}

const server = http.createServer((request, response) => {
  const parts = [];
  let size = 0, counted = false, closed = false;
  const reply = (status, body) => {
    if (closed) return;
    closed = true;
    const out = Buffer.from(JSON.stringify(body));
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': out.length });
    response.end(out);
    if (counted) clock.answered++;
    clock.touch();
  };
  request.on('data', (part) => { size += part.length; if (size <= 65536) parts.push(part); });
  request.on('error', () => {});
  response.on('close', () => { if (counted && !closed) { closed = true; clock.answered++; clock.touch(); } });
  request.on('end', () => {
    const path = request.url.split('?')[0];
    counted = true; clock.taken++;
    if (path === '/health') return reply(200, { ok: true, sessions: sessions.size });
    const route = routes[path];
    if (!route) return reply(404, { error: 'no such path' });
    if (request.method !== 'POST') return reply(405, { error: 'POST it' });
    if (size > 65536) return reply(413, { error: 'too large' });
    let s;
    try {
      let body;
      try { body = JSON.parse(Buffer.concat(parts).toString('utf8')); } catch { throw new Refusal(400, 'no JSON'); }
      if (!body || typeof body !== 'object' || Array.isArray(body)) throw new Refusal(400, 'no JSON object');
      s = route(text(body, 'secret', true), body);
    } catch (e) {
      if (e instanceof Refusal) return reply(e.status, { error: e.message });
      say('failed', e.stack);
      return reply(500, { error: 'internal' });
    }
    if (!s) return reply(200, { ok: true });
    saveSession(s);
    if (is(5) && path !== '/v1/register-activity') {
      // Answered when APNs has, or soon enough.
      pump(s);
      const working = () => s.start?._busy || s.card?._busy || s.leaving.some((card) => card._busy);
      if (working()) {
        let timer = null;
        const tellIt = () => { clock.cancel(timer); reply(200, { ok: true }); };
        timer = clock.after(3 * S, () => { s._tell = (s._tell || []).filter((one) => one !== tellIt); reply(200, { ok: true }); });
        (s._tell ??= []).push(tellIt); return;
      }
      return reply(200, { ok: true });
    }
    reply(200, { ok: true });
    pump(s);
  });
});
Object.assign(server, { keepAliveTimeout: 120000, headersTimeout: 125000 });

async function main() {
  await clock.begin(env.CLOCK);
  load();
  server.listen(Number(listenPort), listenHost, () => say('listening on', listenHost, listenPort, VARIANT));
  for (const s of sessions.values()) {
    if (s.start) s.start._loaded = true;
    for (const card of [s.card, ...s.leaving]) if (card) card.retryAt = Math.min(card.retryAt, clock.now() + S);
    pump(s);
  }
  clock.touch();
}
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    stopping = true;
    server.close();
    const until = Date.now() + 1500;
    (function look() { if (inFlight === 0 || Date.now() > until) process.exit(0); else setTimeout(look, 20); })();
  });
}
main().catch((e) => { console.error(e); process.exit(1); });
