// Asks /state once a second and draws what it is told. It keeps nothing.
(() => {
'use strict'
const $ = id => document.getElementById(id)
const put = (node, text) => { if (node.textContent !== text) node.textContent = text }
const el = (tag, props, ...children) => {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props ?? {})) node.setAttribute(name, value)
  node.append(...children)
  return node
}
const svg = (tag, props, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(props ?? {})) node.setAttribute(name, value)
  if (text !== undefined) node.textContent = text
  return node
}

// MARK: Words

const none = '–'
const count = value => value === null || value === undefined ? none : Math.round(value).toLocaleString('en')
const rate = value => value === null || value === undefined ? none
  : value >= 100 ? count(value) + '/s' : (Math.round(value * 10) / 10).toLocaleString('en') + '/s'
const time = nanoseconds => {
  if (nanoseconds === null || nanoseconds === undefined) return none
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]])
    if (nanoseconds >= size) return Number((nanoseconds / size).toPrecision(3)).toLocaleString('en') + ' ' + unit
  return Math.round(nanoseconds) + ' ns'
}
const bytes = value => value >= 1e9 ? (value / 1e9).toFixed(2) + ' GB' : (value / 1e6).toFixed(1) + ' MB'
const spell = seconds => {
  const whole = Math.max(0, Math.floor(seconds))
  return whole < 60 ? whole + ' s' : Math.floor(whole / 60) + ' min ' + whole % 60 + ' s'
}

// MARK: Tiles

const tiles = state => [
  ['Planned', count(state.load.planned) + ' of ' + count(state.run.events)],
  ['Sent', count(state.load.sent)], ['Answered', count(state.load.answered)],
  ['Failed', count(state.load.failed + state.load.unexpectedStatus)], ['Dropped by us', count(state.load.dropped)],
  ['Calls unanswered', count(state.load.unanswered)],
  ['Calls whose push is awaited', state.awaited ? count(state.awaited.calls) : none],
  ['Oldest of them', state.awaited?.oldestSeconds === null || !state.awaited ? none
    : time(state.awaited.oldestSeconds * 1e9)],
  ['Pushes', count(state.mock.pushes)], ['Active sessions', count(state.load.activeSessions)],
  ['Call latency p99', time(state.recent.callP99Nanoseconds)],
  ['Push latency p99', time(state.recent.deliveryP99Nanoseconds)],
  ['Our lateness p99', time(state.recent.latenessP99Nanoseconds)],
  ['Our busiest thread', state.rig.busiestThread === null ? none : Math.round(state.rig.busiestThread * 100) + ' %'],
  ['Relay processors', state.relay?.processors == null ? none : state.relay.processors.toFixed(2)],
  ['Relay memory', state.relay ? bytes(state.relay.residentBytes) : none],
]
const showTiles = state => {
  const rows = tiles(state)
  const list = $('tiles')
  if (list.children.length !== rows.length)
    list.replaceChildren(...rows.map(() => el('div', {}, el('dt'), el('dd'))))
  rows.forEach(([name, value], index) => {
    put(list.children[index].children[0], name)
    put(list.children[index].children[1], value)
  })
}

// MARK: Charts

const charts = [
  { title: 'Calls and pushes per second', words: rate, lines: [['sent', 'sent'], ['answered', 'answered'],
    ['pushes', 'pushes'], ['failed', 'failed']] },
  { title: 'Latency of calls and pushes', words: time, lines: [['call p50', 'callP50Nanoseconds'],
    ['call p99', 'callP99Nanoseconds'], ['push p50', 'deliveryP50Nanoseconds'],
    ['push p99', 'deliveryP99Nanoseconds']] },
  { title: 'Backlog', words: count, lines: [['calls unanswered', 'unanswered'],
    ['calls whose push is awaited', 'awaited']] },
  { title: 'Our lateness at p99', words: time, lines: [['lateness', 'latenessP99Nanoseconds']] },
]
const width = 460, height = 150, left = 62, right = 8, top = 8, bottom = 20
const roof = value => {
  if (!(value > 0)) return 1
  const decade = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map(step => step * decade).find(step => step >= value * .9999)
}
const draw = (chart, course) => {
  const at = course.atSeconds
  const first = at[0] ?? 0, last = Math.max(at[at.length - 1] ?? 1, first + 1)
  const most = roof(Math.max(0, ...chart.lines.flatMap(line => course[line[1]].filter(value => value !== null))))
  const x = second => left + (second - first) / (last - first) * (width - left - right)
  const y = value => height - bottom - value / most * (height - top - bottom)
  const nodes = []
  for (const part of [0, .5, 1]) {
    nodes.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(most * part), y2: y(most * part) }))
    nodes.push(svg('text', { x: left - 6, y: y(most * part) + 4, 'text-anchor': 'end' }, chart.words(most * part)))
  }
  nodes.push(svg('text', { x: left, y: height - 5 }, '+' + spell(first)))
  nodes.push(svg('text', { x: width - right, y: height - 5, 'text-anchor': 'end' }, '+' + spell(last)))
  chart.lines.forEach((line, number) => {
    let path = '', isOpen = false
    course[line[1]].forEach((value, index) => {
      if (value === null) { isOpen = false; return }
      path += (isOpen ? 'L' : 'M') + x(at[index]).toFixed(1) + ' ' + y(value).toFixed(1)
      isOpen = true
    })
    if (path) nodes.push(svg('path', { class: 'line k' + number, d: path }))
  })
  const newest = chart.lines.map(line => line[0] + ' ' + chart.words(course[line[1]][at.length - 1])).join(', ')
  chart.picture.replaceChildren(...nodes)
  chart.picture.setAttribute('aria-label', chart.title + '. By now: ' + newest)
  chart.lines.forEach((line, number) => put(chart.values[number], chart.words(course[line[1]][at.length - 1])))
}
for (const chart of charts) {
  chart.picture = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': chart.title })
  chart.values = chart.lines.map(() => el('span', {}, none))
  const keys = chart.lines.flatMap((line, number) => {
    const sample = svg('svg', { class: 'key', viewBox: '0 0 24 8', 'aria-hidden': 'true' })
    sample.append(svg('path', { class: 'line k' + number, d: 'M0 4L24 4' }))
    return [sample, ' ' + line[0] + ' ', chart.values[number], '  ']
  })
  $('charts').append(el('figure', {}, el('h3', {}, chart.title), chart.picture, el('figcaption', {}, ...keys)))
}

// MARK: Tables

const table = (node, caption, heads, rows) => node.replaceChildren(
  el('caption', { class: 'dim' }, caption),
  el('thead', {}, el('tr', {}, ...heads.map(head => el('th', { scope: 'col' }, head)))),
  el('tbody', {}, ...rows))
const showTable = course => {
  const columns = charts.flatMap(chart => chart.lines.map(line => [line[0], line[1], chart.words]))
  const from = Math.max(0, course.atSeconds.length - 10)
  const rows = course.atSeconds.slice(from).map((second, index) => el('tr', {},
    el('th', { scope: 'row' }, '+' + spell(second)),
    ...columns.map(column => el('td', {}, column[2](course[column[1]][from + index])))))
  table($('table'), 'One row a second', ['Time', ...columns.map(column => column[0])], rows.reverse())
}
const gateWords = { holds: 'holds so far', fails: 'does not hold so far', ended: 'ended the load',
  open: 'told by the judge' }
const showGates = gates => {
  $('gates-none').hidden = gates.length > 0
  $('gates').hidden = gates.length === 0
  table($('gates'), 'Not a verdict yet', ['Gate', 'So far', 'State'], gates.map(gate => el('tr', {},
    el('th', { scope: 'row' }, gate.text + (gate.abort ? ' (ends the load)' : '')),
    el('td', {}, gate.valueText || none),
    el('td', { class: gate.word === 'holds' ? 'ok' : gate.word === 'open' ? 'dim' : 'bad' },
      gateWords[gate.word] ?? gate.word))))
}

// MARK: Life

let isPaused = false, isBusy = false, missed = 0
const show = state => {
  put($('title'), state.run.scenario)
  put($('meta'), 'seed ' + state.run.seed + ' · ' + count(state.run.sessions) + ' sessions · '
    + spell(state.elapsedSeconds) + ' of ' + spell(state.run.lengthSeconds))
  put($('phase'), state.phase || 'starting')
  document.title = (state.phase || 'starting') + ' – ' + state.run.scenario
  $('progress').value = state.run.lengthSeconds > 0 ? Math.min(1, state.elapsedSeconds / state.run.lengthSeconds) : 0
  showTiles(state)
  for (const chart of charts) draw(chart, state.course)
  if ($('table').closest('details').open) showTable(state.course)
  showGates(state.gates)
  $('faults').replaceChildren(...state.faults.map(fault => el('li', {}, fault)))
  $('faults-none').hidden = state.faults.length > 0
}
const ask = async () => {
  if (isPaused || isBusy || document.hidden) return
  isBusy = true
  try {
    const answer = await fetch('/state', { cache: 'no-store', signal: AbortSignal.timeout(5000) })
    if (!answer.ok) throw new Error('answered ' + answer.status)
    show(await answer.json())
    missed = 0
    $('trouble').hidden = true
  } catch {
    missed += 1
    if (missed === 2) {
      put($('phase'), 'no answer')
      put($('trouble'), 'The run does not answer any more: it is over, and its report is in its folder.')
      $('trouble').hidden = false
    }
  } finally { isBusy = false }
}
$('pause').addEventListener('click', () => {
  isPaused = !isPaused
  $('pause').setAttribute('aria-pressed', String(isPaused))
  ask()
})
document.addEventListener('visibilitychange', ask)
setInterval(ask, 1000)
ask()
})()
