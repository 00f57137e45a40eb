"""The mock's live page in a real browser. Run by script/page; each step says what it holds the page to.

    test_page.py [--pictures FOLDER]    pictures at desktop and phone width, dark and light
"""

import sys
import time

from browser import Browser
from rig import Mock

HOSTILE = [
    "<img src=x onerror=\"document.title='broken in'\">",
    "</script><script>document.title='broken in'</script>",
    "\u202egnirts desrever\u202c and \u0007 and \u200b",
    "'; alert(1); '",
    "W" * 3000,
    "{{constructor.constructor('return 1')()}}",
    "\u0645\u0631\u062d\u0628\u0627 \u4f60\u597d \U0001f9d1\u200d\U0001f680",
]


SCHEMA = {"properties": {"progress": {"type": "number", "minimum": 0, "maximum": 2}}, "x-card": {
    "title": "Order {/title}", "status": {"at": "/word", "words": {"ok": "Fine"}}, "body": ["{/nope}", "{/n} of {/all}"],
    "progress": "/progress", "since": "/seconds"}}


def phone(name, activities):
    app = {"bundle": "com.example.app", "installed": True, "environment": None, "state": "background", "liveActivities": True,
           "frequentUpdates": False, "staleStartToken": False, "wake": {}, "deviceToken": "aa", "startToken": "bb",
           "schema": {"attributesType": "Order", "contentState": SCHEMA}, "activities": activities}
    return {"id": name, "ios": "18.1", "connection": "online", "lowPower": False, "stored": 0, "apps": [app]}


ACTIVITY = {"activity": 1, "state": "active", "token": "c0ffee", "tokenKnown": True, "presented": True,
            "startedAt": "2026-11-23T00:00:00.000Z", "shownTimestamp": 1795392000, "takenTimestamp": 1795392000,
            "drawnAt": "2026-11-23T00:00:00.000Z", "staleAt": None, "dismissedAt": None, "marker": None, "shown": 3, "ignored": 1,
            "contentState": {"title": 7, "word": "ok", "n": 3, "all": 9, "progress": 0.4, "seconds": 65}}
UNSEEN = {**ACTIVITY, "token": "c0ffef", "presented": False}
PHONES = {"phones": [phone("lena", [ACTIVITY]), phone("kim", []), phone("mia", [UNSEEN])], "count": 3, "next": None}


def token(number):
    return f"{number:064x}"


class PageTest:
    def __init__(self, pictures=None):
        self.pictures = pictures
        self.mock = Mock()
        self.browser = Browser()

    def steps(self):
        """In the order in which they stand here; each leaves the page as the next one expects it."""
        return [getattr(self, name) for name in vars(PageTest) if name.startswith("test_")]

    def text(self, selector):
        return self.browser.run(f"document.querySelector({selector!r})?.textContent ?? ''")

    def count(self, selector):
        return self.browser.run(f"document.querySelectorAll({selector!r}).length")

    def show(self, field, value):
        self.browser.run(
            f"(() => {{ const node = document.getElementById({field!r}); node.value = {value!r};"
            " node.dispatchEvent(new Event('input', {bubbles: true})) })()")

    # What was before it was opened

    def test_pushes_from_before_the_page_was_opened_are_there(self):
        for number in range(1, 21):
            self.mock.update(token(number), {"title": f"Build {number}", "status": "working", "progress": 0.5})
        self.mock.push("00ff", {"alert": "old"}, activity=False)
        self.browser.look(1280, 900)
        self.browser.open(self.mock.admin + "/")
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 21", "the pushes from before")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 12", "a page of cards")
        assert self.text("#phones-count") == "20 activities"
        assert self.text("#cards .name").startswith("Build "), "what the card shows, from a push before"

    # Live

    def test_a_push_appears_at_once(self):
        self.show("phone-search", "release")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 0", "no such card yet")
        self.mock.update(token(3), {"title": "Release", "status": "needs input", "body": "May I go on?", "progress": 0.75})
        begin = time.monotonic()
        self.browser.wait("[...document.querySelectorAll('.lock .name')].some(n => n.textContent === 'Release')", "the card")
        assert time.monotonic() - begin < 3, "within three seconds"
        card = "[...document.querySelectorAll('.phone')].find(n => n.textContent.includes('Release'))"
        assert self.browser.run(f"{card}.querySelector('.status').textContent") == "needs input"
        assert self.browser.run(f"{card}.querySelector('[role=progressbar]').getAttribute('aria-valuenow')") == "75"
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 22", "the row")
        self.show("phone-search", "")

    def test_stale_ended_and_dismissed_look_so(self):
        now = int(time.time())
        self.mock.update(token(4), {"title": "Stale one"}, **{"stale-date": now - 10})
        self.mock.update(token(5), {"title": "Ended one"}, "end", **{"dismissal-date": now + 3600})
        self.mock.update(token(6), {"title": "Gone one"}, "end", **{"dismissal-date": now - 10})
        for state in ("stale", "ended", "dismissed"):
            self.show("phone-state", state)
            self.browser.wait(f"document.querySelectorAll('.phone[data-state={state}]').length === 1", state)
            assert self.count("#cards > li") == 1, state
        self.show("phone-state", "")

    def test_hundreds_with_hostile_texts_do_no_harm(self):
        def state(number):
            # A Live Activity takes 4 KiB.
            text = HOSTILE[number % len(HOSTILE)]
            return {"title": text[:900], "status": text[:300], text[:200]: text[:900], "n": number}

        for number in range(300):
            assert self.mock.update(token(100 + number), state(number)) == 200
        self.browser.wait("document.querySelector('#phones-count').textContent.startsWith('320 ')", "320 activities are known")
        assert self.count("#cards > li") == 12, "a page of cards"
        assert self.count("#push-list > li") <= 50, "fifty rows"
        assert self.browser.run("document.title") == "PushRig mock", "nothing was run"
        assert self.count("#cards img, #cards script, #push-list img, #push-list script") == 0, "nothing became markup"
        assert self.count("*") < 6000, f"{self.count('*')} elements"
        self.opens_a_row()
        assert self.count("img, script:not(body > script)") == 0

    def opens_a_row(self):
        self.browser.run("document.querySelector('#push-list summary').click()")
        # In one question: rows that come meanwhile move it.
        self.browser.wait(
            "[...document.querySelectorAll('#push-list .inside')].some(one => one.querySelector('pre')?.textContent"
            ".includes('content-state') && one.textContent.includes('apns-push-type'))", "the payload and the headers")
        self.browser.run("document.querySelector('#push-list summary').click()")

    # Filters

    def test_cards_and_rows_are_filtered(self):
        self.show("phone-search", "release")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 1", "one card")
        self.show("phone-search", "no such text")
        self.browser.wait("!document.getElementById('cards-empty').hidden", "it says that none fits")
        self.show("phone-search", "")
        self.show("phone-state", "stale")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 1", "the stale one")
        self.show("phone-state", "")
        self.show("push-search", token(399))
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 1", "one row")
        self.show("push-search", "")
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 50", "all rows")

    # Faults

    def test_a_fault_is_set_works_is_switched_off_and_on(self):
        self.browser.run("document.getElementById('fault-new').open = true")
        self.show("fault-reason", "Unregistered")
        self.show("fault-token", token(3))
        self.browser.run("document.querySelector('#fault-form [type=submit]').click()")
        self.browser.wait("document.querySelectorAll('#fault-list [role=switch][aria-checked=true]').length === 1", "it is on")
        state = {"title": "Release"}
        assert self.mock.update(token(3), state) == 410, "the next push meets it"
        self.browser.wait("document.querySelector('#push-list > li').textContent.includes('410 Unregistered')", "its row")
        self.browser.wait("document.querySelector('#fault-list').textContent.includes('fired 1 of 1')", "its count, live")
        self.browser.run("document.querySelector('#fault-list [role=switch]').click()")
        self.browser.wait("document.querySelector('#fault-list [role=switch][aria-checked=false]')", "it is off")
        assert self.mock.ask("/v1/faults") == {"faults": []}
        assert self.mock.update(token(3), state) == 200, "the next push passes"
        self.browser.run("document.querySelector('#fault-list [role=switch]').click()")
        self.browser.wait("document.querySelector('#fault-list [role=switch][aria-checked=true]')", "it is on again")
        assert self.mock.update(token(3), state) == 410
        self.show("fault-reason", "NoSuchReason")
        self.browser.run("document.querySelector('#fault-form [type=submit]').click()")
        self.browser.wait("document.getElementById('fault-trouble').textContent.includes('NoSuchReason')", "why it is refused")
        self.browser.complaints = [text for text in self.browser.complaints if "status of 400" not in text]
        self.mock.ask("/v1/faults", "DELETE")
        self.browser.wait("document.querySelectorAll('#fault-list [aria-checked=true]').length === 0", "removed elsewhere, live")

    # The clock

    def test_the_clock_is_moved_and_ages_the_cards(self):
        self.browser.run("[...document.querySelectorAll('#moves button')].find(b => b.textContent === '1 h').click()")
        self.browser.wait("document.getElementById('clock-note').textContent.includes('ahead')", "it is ahead")
        assert abs(self.mock.ask("/v1/clock")["offsetMilliseconds"] - 3_600_000) < 5_000
        self.browser.wait("document.querySelector('#cards .age').textContent.includes('1 h')", "cards are an hour older")
        self.mock.ask("/v1/clock", "PUT", {"advance": "-1h", "scale": 60})
        self.browser.wait("[...document.querySelectorAll('#scales button')].find("
                          "b => b.getAttribute('aria-pressed') === 'true')?.textContent === '× 60'", "told by others, live")
        self.mock.ask("/v1/clock", "PUT", {"scale": 1})
        self.mock.read_clock()

    # The keyboard alone

    def test_all_is_reached_by_the_keyboard_with_its_focus_seen(self):
        self.browser.run("document.activeElement.blur(); window.scrollTo(0, 0)")
        self.browser.open(self.mock.admin + "/")
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 50", "the page again")
        seen, unseen = set(), []
        for _ in range(260):
            self.browser.press("Tab")
            name, outline = self.browser.run(
                "(() => { const n = document.activeElement, s = getComputedStyle(n);"
                " return [n.id || n.className || n.tagName, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0] })()")
            if name == "BODY":
                break
            seen.add(name)
            if not outline and name != "skip":
                unseen.append(name)
        assert not unseen, f"focus is not seen on {sorted(set(unseen))}"
        for name in ("skip", "phone-search", "phone-state", "push-search", "pause", "SUMMARY", "move-by", "page-on"):
            assert name in seen, f"{name} is not reached: {sorted(seen)}"
        self.browser.run("document.getElementById('pause').focus()")
        self.browser.press(" ", "Space", " ")
        self.browser.wait("document.getElementById('pause').getAttribute('aria-pressed') === 'true'", "paused by the keyboard")
        first = self.browser.run("document.querySelector('#push-list time').title")
        self.mock.push("00ff", {"alert": "while paused"}, activity=False)
        time.sleep(0.8)
        assert self.browser.run("document.querySelector('#push-list time').title") == first, "nothing moves while paused"
        self.browser.press(" ", "Space", " ")
        self.browser.wait(f"document.querySelector('#push-list time').title !== {first!r}", "goes on")
        self.browser.run("document.querySelector('#push-list summary').focus()")
        self.browser.press("Enter", text="\r")
        self.browser.wait("document.querySelector('#push-list details').open", "a row opens by the keyboard")
        self.browser.press("Enter", text="\r")
        self.browser.run("document.getElementById('phone-search').focus()")
        self.browser.type("release")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 1", "typed")
        self.show("phone-search", "")

    def test_every_control_has_a_name_and_landmarks_are_there(self):
        nodes = self.browser.send("Accessibility.getFullAXTree")["nodes"]
        by_role = {}
        for node in nodes:
            if not node.get("ignored"):
                by_role.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
        for role in ("banner", "main", "contentinfo", "search", "region"):
            assert by_role.get(role), f"no {role}"
        for role in ("button", "textbox", "searchbox", "combobox", "switch", "progressbar", "region", "search", "DisclosureTriangle"):
            assert all(by_role.get(role, [])), f"a {role} without a name: {by_role[role]}"
        levels = self.browser.run("[...document.querySelectorAll('h1,h2,h3')].map(n => +n.tagName[1])")
        assert levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), "headings go down by one"

    # Looks

    def test_it_fits_360_pixels_and_has_contrast_in_dark_and_light(self):
        self.browser.run("document.getElementById('fault-new').open = true")
        for dark in (False, True):
            for width in (360, 390, 768, 1280, 1920):
                self.browser.look(width, 900, dark)
                wide = self.browser.run("document.documentElement.scrollWidth")
                assert wide <= width, f"{wide} pixels at {width}"
            self.browser.look(1280, 900, dark)
            faint = self.browser.run(CONTRAST)
            assert not faint, f"{'dark' if dark else 'light'}: {faint}"
            assert self.browser.run("document.getAnimations().length") == 0, "nothing moves for those who want it so"
        if self.pictures:
            self.takes_pictures()

    def takes_pictures(self):
        for name, width, height in (("desktop", 1280, 1000), ("phone", 390, 844)):
            for dark in (False, True):
                self.browser.look(width, height, dark)
                time.sleep(0.5)
                path = f"{self.pictures}/{name}-{'dark' if dark else 'light'}"
                self.browser.picture(path + ".png")
                self.browser.picture(path + "-whole.png", whole=True)

    # A mock with phones as objects, and a clock that can be stepped

    def test_phones_are_shown_as_their_schema_says_and_a_clock_that_can_be_stepped_is(self):
        self.browser.answer({"/v1/phones?": PHONES, "/v1/clock": {
            "now": "2026-11-23T00:10:00.000Z", "scale": 0, "mode": "stepped", "offsetMilliseconds": 0}})
        script = self.browser.send("Page.addScriptToEvaluateOnNewDocument", {"source": """new MutationObserver((_, all) => {
            document.documentElement?.setAttribute('data-phones', ''); all.disconnect() }).observe(document, {childList: true})"""})
        self.browser.open(self.mock.admin + "/?phones")
        self.show("phone-search", "lena")
        self.browser.wait("document.querySelectorAll('#cards > li').length === 1", "her activity")
        for part, text in ((".name", "Order 7"), (".status", "Fine"), (".body", "3 of 9"), (".who", "lena")):
            assert self.text("#cards " + part) == text, part
        assert self.browser.run("document.querySelector('#cards [role=progressbar]').getAttribute('aria-valuenow')") == "20"
        assert "iOS 18.1, online" in self.text("#cards .app") and "Running 1 min 5 s" in self.text("#cards .age")
        self.show("phone-search", "kim")
        self.browser.wait("document.querySelector('#cards .mark')?.textContent === 'No Live Activity'", "a phone without one")
        self.show("phone-search", "mia")
        self.browser.wait("document.querySelector('#cards .mark')?.textContent === 'Never on the screen'", "one never presented")
        for part in (".island", ".name", ".body", ".age"):
            seen = f"document.querySelector('#cards {part}').checkVisibility({{ checkVisibilityCSS: true }})"
            assert not self.browser.run(seen), part
        assert "never on the screen" in self.text("#cards .app") and self.text("#cards .badge") == "active"
        assert self.text("#clock-now") == "2026-11-23 00:10:00 UTC"
        assert not self.browser.run("document.getElementById('step-group').hidden"), "it can be stepped"
        self.browser.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]})
        self.browser.answer({})
        self.browser.open(self.mock.admin + "/")
        self.browser.wait("document.getElementById('clock-note').textContent.startsWith('Real time')", "the mock itself again")
        assert self.browser.run("document.getElementById('step-group').hidden"), "this one cannot be stepped"

    # Many

    def test_thousands_of_phones_do_not_make_it_slow(self):
        self.browser.run("window.slow = []; new PerformanceObserver(l => slow.push(...l.getEntries().map(e => e.duration)))"
                         ".observe({ type: 'longtask' })")
        self.mock.update_each([token(10_000 + number) for number in range(3_000)], {"title": "Load", "progress": 0.5})
        self.browser.wait("document.querySelector('#phones-count').textContent.startsWith('3,320 ')", "3,320 activities", 40)
        worst = max(self.browser.run("slow") or [0])
        assert worst < 1_000, f"a task of {worst} ms"
        assert self.count("*") < 6_000, f"{self.count('*')} elements"

    # A mock that goes and comes

    def test_a_reset_empties_it(self):
        self.mock.ask("/v1/reset", "POST")
        self.browser.wait("document.querySelectorAll('#push-list > li, #cards > li').length === 0", "all is gone")
        self.mock.push("00ff", {"alert": "new"}, activity=False)
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 1", "and it goes on")

    def test_the_pushes_of_a_card_are_with_its_start(self):
        self.mock.ask("/v1/phones/vera", "PUT", {"apps": [{"bundle": self.mock.topic, "wake": {"delay": "1ms"}}]})
        start = self.mock.ask("/v1/phones/vera")["apps"][0]["startToken"]
        assert self.mock.update(start, {"title": "Mine"}, "start", attributes={}, **{"attributes-type": "T"}, alert={"title": "a"}) == 200
        self.browser.wait("document.querySelector('#cards .count')?.textContent === '1 push shown'", "the card")
        self.browser.run("document.querySelector('#cards .link').click()")
        self.browser.wait("document.getElementById('pushes-count').textContent.startsWith('1 of ')", "the start is among its pushes")
        self.browser.wait("document.querySelectorAll('#push-list > li').length === 1", "its row")
        # Whoever does not see the list is told, and the keyboard does not fall to the top of the page.
        self.show("push-search", "")
        self.browser.wait("document.getElementById('said').textContent.endsWith(' kept')", "the count is said")
        self.browser.run("document.querySelector('#cards summary').focus()")
        self.mock.ask("/v1/phones/vera", "PATCH", {"app": self.mock.topic, "action": "uninstall"})
        self.browser.wait("document.querySelector('#cards .app')?.textContent.includes('not installed')", "it says so")
        assert self.browser.run("document.activeElement.id") == "phones"
        self.mock.ask("/v1/phones/vera", "DELETE")

    def test_a_share_is_refused_in_the_words_of_the_form(self):
        self.show("fault-share", "150")
        self.browser.run("document.getElementById('fault-form').requestSubmit()")
        self.browser.wait("document.getElementById('fault-trouble').textContent.startsWith('Share in %:')", "the form's words")
        self.show("fault-share", "")

    def test_a_mock_started_anew_behind_the_address_is_another_one(self):
        self.mock.push("00ff", {"alert": "old"}, activity=False)
        self.browser.wait("document.querySelectorAll('#push-list > li').length > 0", "a push of the former")
        where, admin = self.text("#where"), self.mock.admin
        self.mock.close()
        self.mock = Mock("--environment", "sandbox", "--tokens", "registered", admin=admin.removeprefix("http://"))
        self.browser.wait("document.getElementById('title').textContent === 'APNs sandbox'", "the new one", 20)
        self.browser.wait("document.querySelectorAll('#push-list > li, #cards > li').length === 0", "nothing of the former")
        assert self.text("#where").endswith("tokens: registered") and self.text("#where") != where, self.text("#where")
        assert self.text("#pushes-count") == "0 pushes kept"
        self.browser.complaints.clear()

    def test_it_asked_nobody_else_and_nothing_complained(self):
        foreign = [url for url in self.browser.requests if not url.startswith((self.mock.admin + "/", "data:"))]
        assert not foreign, foreign
        assert not self.browser.complaints, self.browser.complaints

    def test_off_loopback_it_asks_for_the_token_once(self):
        self.browser.complaints.clear()
        self.mock.close()
        self.mock = Mock(admin="0.0.0.0:0")
        self.mock.admin = self.mock.admin.replace("0.0.0.0", "127.0.0.1")
        self.browser.open(self.mock.admin + "/")
        for given in ("wrong", self.mock.ready["adminToken"]):
            self.browser.wait("document.getElementById('ask').open && document.getElementById('ask-token').value === ''", "it asks")
            self.browser.run("document.getElementById('ask-token').focus()")
            self.browser.type(given)
            self.browser.press("Enter", text="\r")
        self.browser.wait("document.getElementById('live').textContent === 'Live'", "it is connected")
        assert not self.browser.run("document.getElementById('ask').open")
        self.browser.open(self.mock.admin + "/?again")
        self.browser.wait("document.getElementById('live').textContent === 'Live'", "kept for this tab")
        assert all("401" in text for text in self.browser.complaints), self.browser.complaints

    def close(self):
        self.browser.close()
        self.mock.close()


# Every text that can be seen against the plain ground behind it (WCAG 2.2, 1.4.3); grounds with an image are left out.
CONTRAST = """(() => {
  const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number)
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
  const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map(i => top[i] * a + below[i] * (1 - a)) }
  const ground = node => {
    const layers = []
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at)
      if (style.backgroundImage !== 'none') return layers.length && (layers[0][3] ?? 1) > 0.9 ? over(layers[0], [255, 255, 255]) : null
      const color = parse(style.backgroundColor)
      if ((color[3] ?? 1) > 0) layers.unshift(color)
      if ((color[3] ?? 1) === 1) break
    }
    return layers.reduce((below, top) => over(top, below), [255, 255, 255])
  }
  const faint = new Set()
  for (const node of document.querySelectorAll('body *')) {
    const text = [...node.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim()).length
    if (!text || !node.checkVisibility({ checkVisibilityCSS: true }) || node.closest('.vh, [disabled], .skip')) continue
    const style = getComputedStyle(node), behind = ground(node)
    if (!behind) continue
    const [a, b] = [light(over(parse(style.color), behind)), light(behind)].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize)
    const wanted = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5
    if (ratio < wanted) faint.add(node.tagName + '.' + node.className + ' ' + ratio.toFixed(2) + ' ' + style.color + ' on ' + behind)
  }
  return [...faint]
})()"""


def main():
    pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    begin = time.monotonic()
    test = PageTest(pictures)
    failures = 0
    try:
        for step in test.steps():
            words = step.__name__.removeprefix("test_").replace("_", " ")
            started = time.monotonic()
            try:
                step()
                print(f"ok    {time.monotonic() - started:5.1f} s  {words}", flush=True)
            except Exception as failure:
                failures += 1
                print(f"FAIL  {time.monotonic() - started:5.1f} s  {words}: {failure!r}", flush=True)
    finally:
        test.close()
    print(f"page: {len(test.steps()) - failures} of {len(test.steps())} in {time.monotonic() - begin:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
