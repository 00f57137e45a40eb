// Faults on and off, new ones, and the clock.

// MARK: Faults

// Rules in force, and those that were switched off here: the mock forgets a rule that is removed, this page does not.
const rules = new Map(), offKey = 'pushrig-faults-off', keptOff = 50
const off = new Map()
try {
  for (const rule of JSON.parse(sessionStorage.getItem(offKey) ?? '[]')) off.set(rule.id, rule)
} catch { off.clear() }
const storeOff = () => sessionStorage.setItem(offKey, JSON.stringify([...off.values()]))
const ruleOf = ({ fired, matched, healed, ...rule }) => rule

const describe = action => {
  const [word, value] = Object.entries(action ?? {})[0] ?? ['nothing', null]
  if (value === true) return word
  if (word === 'respond' && value?.reason) return 'respond ' + value.reason
  return word + ' ' + (typeof value === 'string' ? value : JSON.stringify(value))
}
const terms = rule => {
  const { id, action, match, ...rest } = ruleOf(rule)
  const words = [...Object.entries(match ?? {}), ...Object.entries(rest)].map(
    ([name, value]) => name + ' ' + (name === 'token' ? short(String(value))
      : typeof value === 'object' ? JSON.stringify(value) : value))
  return words.length ? words.join(', ') : 'every push'
}

const faultNodes = new Map()
const drawFaults = () => {
  const all = [...[...rules.values()].map(rule => [rule, true]),
    ...[...off.values()].filter(rule => !rules.has(rule.id)).map(rule => [rule, false])].slice(0, 100)
  const ids = new Set(all.map(([rule]) => rule.id))
  for (const [id, entry] of faultNodes) if (!ids.has(id)) { entry.node.remove(); faultNodes.delete(id) }
  for (const [rule, isOn] of all) {
    let entry = faultNodes.get(rule.id)
    if (!entry) { faultNodes.set(rule.id, entry = makeFault(rule.id)); $('fault-list').append(entry.node) }
    entry.update(rule, isOn)
  }
  const isOff = all.filter(([, isOn]) => !isOn).length
  put($('faults-count'), rules.size + ' on' + (isOff ? ', ' + isOff + ' off' : ''))
  $('faults-empty').hidden = all.length > 0
}

const makeFault = id => {
  const what = el('p', { class: 'what' }), to = el('p', { class: 'to' })
  const toggle = el('button', { type: 'button', class: 'switch', role: 'switch' })
  const forget = el('button', { type: 'button', class: 'forget' }, 'Forget')
  const node = el('li', {}, what, to, el('div', { class: 'do' }, toggle, forget))
  const change = act => async () => {
    toggle.disabled = true
    try { await act(); trouble('') } catch (error) { trouble('Fault ' + plain(id, 64) + ': ' + error.message) }
    toggle.disabled = false
    drawFaults()
  }
  toggle.addEventListener('click', change(() => rules.has(id) ? switchOff(id) : switchOn(id)))
  forget.addEventListener('click', () => { off.delete(id); storeOff(); drawFaults(); $('faults').focus() })
  const update = (rule, isOn) => {
    node.className = isOn ? '' : 'off'
    put(what, plain(describe(rule.action), 200))
    put(to, plain(id, 64) + ': ' + plain(terms(rule), 400)
      + (isOn ? ', fired ' + rule.fired.toLocaleString('en') + ' of ' + rule.matched.toLocaleString('en') : ', off'))
    toggle.setAttribute('aria-checked', isOn)
    toggle.setAttribute('aria-label', 'Fault ' + plain(id, 64) + ', ' + plain(describe(rule.action), 80))
    forget.hidden = isOn
    forget.setAttribute('aria-label', 'Forget fault ' + plain(id, 64))
  }
  return { node, update }
}

const switchOff = async id => {
  const rule = rules.get(id)
  await ask('/v1/faults/' + encodeURIComponent(id), 'DELETE')
  keep(off, id, ruleOf(rule), keptOff)
  storeOff()
  rules.delete(id)
  say('Fault ' + plain(id, 64) + ' is off.')
}
const switchOn = async id => {
  const rule = await ask('/v1/faults', 'POST', off.get(id))
  rules.set(rule.id, rule)
  off.delete(id)
  storeOff()
  say('Fault ' + plain(id, 64) + ' is on.')
}

const askFaults = async () => {
  const { faults } = await ask('/v1/faults')
  rules.clear()
  for (const rule of faults) { rules.set(rule.id, rule); off.delete(rule.id) }
  draw(drawFaults)
}
const heardFault = ({ change, id, fault }) => {
  if (fault) { rules.set(id, fault); off.delete(id) }
  else if (change === 'removed' && id === null) rules.clear()
  else if (change === 'removed') rules.delete(id)
  draw(drawFaults)
}

// MARK: A new fault

const words = {
  reason: ['BadDeviceToken', 'Unregistered', 'ExpiredToken', 'DeviceTokenNotForTopic', 'TooManyRequests',
    'InternalServerError', 'ServiceUnavailable', 'Shutdown', 'ExpiredProviderToken', 'TopicDisallowed'],
  type: ['liveactivity', 'alert', 'background', 'voip', 'widgets', 'controls', 'pushtotalk', 'complication', 'location',
    'fileprovider', 'mdm'],
  event: ['start', 'update', 'end'],
}
for (const word of words.reason) $('reasons').append(el('option', { value: word }))
for (const name of ['type', 'event']) {
  for (const word of words[name]) $('fault-' + name).append(el('option', { value: word }, word))
}

const numberIn = id => {
  const text = $(id).value.trim()
  return text === '' ? undefined : isNaN(Number(text)) ? text : Number(text)
}
const ruleFromForm = () => {
  const action = $('fault-action').value, match = {}, share = numberIn('fault-share')
  for (const [name, id] of [['pushType', 'fault-type'], ['event', 'fault-event'], ['token', 'fault-token']]) {
    if ($(id).value.trim()) match[name] = $(id).value.trim()
  }
  if (share !== undefined && share !== 100) match.fraction = typeof share === 'number' ? share / 100 : share
  const rule = Object.keys(match).length ? { match } : {}
  rule.action = { [action]: action === 'respond' ? { reason: $('fault-reason').value.trim() }
    : action === 'delay' ? $('fault-delay').value.trim() : action === 'close' ? 'clean' : true }
  if (numberIn('fault-times') !== undefined) rule.times = numberIn('fault-times')
  if ($('fault-for').value.trim()) rule.for = $('fault-for').value.trim()
  return rule
}
const showRule = () => {
  $('fault-reason-row').hidden = $('fault-action').value !== 'respond'
  $('fault-delay-row').hidden = $('fault-action').value !== 'delay'
  $('fault-json').value = JSON.stringify(ruleFromForm(), null, 2)
}
$('fault-form').addEventListener('input', event => { if (event.target !== $('fault-json')) showRule() })
$('fault-form').addEventListener('submit', guarded('fault-trouble', async event => {
  event.preventDefault()
  const share = numberIn('fault-share')
  if (share !== undefined && !(share > 0 && share <= 100)) throw new Error('Share in %: more than 0 and at most 100')
  const rule = await ask('/v1/faults', 'POST', $('fault-json').value)
  rules.set(rule.id, rule)
  drawFaults()
  say('Fault ' + plain(rule.id, 64) + ' is set.')
}))
showRule()

// MARK: The clock

const heardClock = told => {
  clock = { ...told, isStill: told.mode === 'stepped' }
  clockToldAt = performance.now()
  drawClock()
  draw(drawPhones)
}
const setClock = guarded('clock-trouble', async change => {
  heardClock(await ask('/v1/clock', 'PUT', change))
  say('The clock says ' + plain(clock.now, 32) + ', speed ' + clock.scale + '.')
})
const scales = new Map([1, 10, 60, 600, 3600].map(scale => [scale, el('button',
  { type: 'button', click: () => setClock({ scale }) },
  scale === 1 ? 'Real time' : '× ' + scale.toLocaleString('en'))]))
$('scales').append(...scales.values())
for (const [by, text] of [['1m', '1 min'], ['10m', '10 min'], ['1h', '1 h'], ['8h', '8 h']]) {
  $('moves').append(el('button', { type: 'button', click: () => setClock({ advance: by }) }, text))
}
// Only a mock whose clock has modes can be stepped.
const still = el('button', { type: 'button', hidden: true, click: () => setClock({ mode: 'stepped' }) }, 'Stand still')
$('scales').append(still)
for (const by of ['1 s', '15 s', '1 min', '10 min', '1 h', '8 h']) {
  const step = by.replace('min', 'm').replace(' ', '')
  $('steps').append(el('button', { type: 'button', click: () => setClock({ mode: 'stepped', step }) }, by))
}
$('move-form').addEventListener('submit', event => {
  event.preventDefault()
  if ($('move-by').value.trim()) setClock({ advance: $('move-by').value.trim() })
})

const drawClock = () => {
  if (clock === null) return
  const now = new Date(mockNow())
  if (isNaN(now)) return
  put($('clock-now'), now.toISOString().slice(0, 19).replace('T', ' ') + ' UTC')
  $('clock-now').setAttribute('datetime', now.toISOString())
  const ahead = mockNow() - Date.now(), far = Math.abs(ahead) > 1500
  put($('clock-note'), (clock.isStill ? 'Stands still between steps' : clock.scale === 1 ? 'Real time'
    : clock.scale.toLocaleString('en') + ' times as fast')
    + (far ? ', ' + spell(Math.abs(ahead) / 1000) + (ahead > 0 ? ' ahead' : ' behind') : ''))
  for (const [scale, button] of scales) button.setAttribute('aria-pressed', !clock.isStill && scale === clock.scale)
  still.hidden = clock.mode === undefined
  still.setAttribute('aria-pressed', clock.isStill)
  $('step-group').hidden = !clock.isStill
}
