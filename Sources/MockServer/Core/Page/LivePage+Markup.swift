// The live page's landmarks, headings and forms; what is inside them the script fills.

extension LivePage {
    static let markup = #"""
        <body>
        <a class="skip" href="#phones">Skip to the phones</a>
        <header class="top">
        <div><p class="kicker">PushRig mock</p><h1 id="title">Starting</h1><p class="meta" id="where"></p></div>
        <p class="badge calm" id="live" role="status">Connecting</p>
        </header>
        <nav aria-label="Sections"><ul><li><a href="#phones">Phones</a></li><li><a href="#pushes">Pushes</a></li>
        <li><a href="#faults">Faults</a></li><li><a href="#clock">Clock</a></li></ul></nav>
        <noscript><p class="trouble">This page needs its own script. The API it asks is described in
        docs/openapi.yaml.</p></noscript>
        <main>
        <p class="trouble" id="trouble" role="alert" hidden></p>
        <p class="vh" id="said" role="status"></p>
        <dl class="tiles" id="counts" aria-label="Counters"></dl>
        <div class="columns">
        <div class="wide">
        <section id="phones" aria-labelledby="phones-h" tabindex="-1">
        <div class="bar"><h2 id="phones-h">Phones</h2><p class="dim" id="phones-count"></p></div>
        <form class="filters" id="phone-filter" role="search" aria-label="Phones">
        <label class="grow"><span>Search</span><input type="search" id="phone-search" autocomplete="off"
        placeholder="Token, app, phone or text" maxlength="200"></label>
        <label><span>State</span><select id="phone-state"><option value="">All</option>
        <option value="active">Active</option><option value="stale">Stale</option>
        <option value="ended">Ended</option><option value="dismissed">Dismissed</option></select></label>
        <label><span>Order</span><select id="phone-order"><option value="age">Newest first</option>
        <option value="new">Last changed first</option><option value="old">Longest unchanged first</option></select></label>
        </form>
        <ul class="cards" id="cards"></ul>
        <p class="empty" id="cards-empty" hidden></p>
        <div class="pager" id="pager" hidden><button type="button" id="page-back">Previous</button>
        <span id="page-at"></span><button type="button" id="page-on">Next</button></div>
        </section>
        <section id="pushes" aria-labelledby="pushes-h" tabindex="-1">
        <div class="bar"><h2 id="pushes-h">Newest pushes</h2><p class="dim" id="pushes-count"></p>
        <button type="button" id="pause" aria-pressed="false">Pause</button></div>
        <form class="filters" id="push-filter" role="search" aria-label="Pushes">
        <label class="grow"><span>Search</span><input type="search" id="push-search" autocomplete="off"
        placeholder="Token, topic, reason or payload" maxlength="200"></label>
        <label><span>Answer</span><select id="push-answer"><option value="">All</option>
        <option value="ok">Accepted</option><option value="bad">Refused</option>
        <option value="fault">By a fault</option></select></label>
        </form>
        <div class="push-head" id="push-head" aria-hidden="true"><span>Arrived</span><span>Push</span><span>To</span>
        <span>Answer</span><span>Outcome</span></div>
        <ol class="pushes" id="push-list" aria-label="Pushes, newest first"></ol>
        <p class="empty" id="pushes-empty" hidden></p>
        <div class="pager" id="pushes-more" hidden><button type="button" id="more">Show all kept</button></div>
        </section>
        </div>
        <div class="narrow">
        <section id="faults" aria-labelledby="faults-h" tabindex="-1">
        <div class="bar"><h2 id="faults-h">Faults</h2><p class="dim" id="faults-count"></p></div>
        <ul class="faults" id="fault-list"></ul>
        <p class="empty" id="faults-empty" hidden>No fault is set: every good push is accepted.</p>
        <details class="box" id="fault-new"><summary>New fault</summary>
        <form id="fault-form">
        <label><span>What happens</span><select id="fault-action">
        <option value="respond">Refuse with a reason</option><option value="delay">Answer later</option>
        <option value="silence">Never answer</option><option value="reset-stream">Reset the stream</option>
        <option value="goaway">GOAWAY</option><option value="close">Close the connection</option></select></label>
        <label id="fault-reason-row"><span>Reason</span><input id="fault-reason" list="reasons" value="BadDeviceToken"
        maxlength="64" autocomplete="off" spellcheck="false"></label>
        <label id="fault-delay-row" hidden><span>Delay</span><input id="fault-delay" value="2s" maxlength="16"
        autocomplete="off"></label>
        <datalist id="reasons"></datalist>
        <fieldset><legend>To which pushes</legend>
        <label><span>Push type</span><select id="fault-type"><option value="">Any</option></select></label>
        <label><span>Activity event</span><select id="fault-event"><option value="">Any</option></select></label>
        <label class="line"><span>Token</span><input id="fault-token" maxlength="1024" placeholder="Any"
        autocomplete="off" spellcheck="false"></label>
        <label><span>Share in %</span><input id="fault-share" inputmode="decimal" placeholder="100" maxlength="8"
        autocomplete="off"></label>
        <label><span>At most, times</span><input id="fault-times" inputmode="numeric" placeholder="Any"
        maxlength="9" autocomplete="off"></label>
        <label><span>For so long</span><input id="fault-for" placeholder="Always" maxlength="16"
        autocomplete="off"></label></fieldset>
        <details><summary>The rule as JSON</summary>
        <p class="dim">Written from the form; change it for anything the form has no field for.</p>
        <textarea id="fault-json" rows="5" spellcheck="false" aria-label="The rule as JSON" maxlength="65536"></textarea>
        </details>
        <button type="submit" class="main">Set the fault</button>
        <p class="bad-text" id="fault-trouble" role="alert"></p>
        </form></details>
        </section>
        <section id="clock" aria-labelledby="clock-h" tabindex="-1">
        <div class="bar"><h2 id="clock-h">Clock</h2></div>
        <div class="box">
        <p class="clock-now"><time id="clock-now">–</time></p>
        <p class="dim" id="clock-note"></p>
        <div class="group" role="group" aria-labelledby="scale-h"><h3 id="scale-h">Speed</h3>
        <div class="buttons" id="scales"></div></div>
        <div class="group" role="group" aria-labelledby="move-h"><h3 id="move-h">Move on by</h3>
        <div class="buttons" id="moves"></div>
        <form class="inline" id="move-form"><label><span class="vh">Move on by a duration</span>
        <input id="move-by" placeholder="90s, 8h, -5m" maxlength="16" autocomplete="off"></label>
        <button type="submit">Move</button></form></div>
        <div class="group" id="step-group" role="group" aria-labelledby="step-h" hidden><h3 id="step-h">Step</h3>
        <div class="buttons" id="steps"></div></div>
        <p class="bad-text" id="clock-trouble" role="alert"></p>
        </div>
        </section>
        </div>
        </div>
        </main>
        <footer><p>This page asks this mock only. Its API: docs/openapi.yaml.</p></footer>
        <dialog id="ask" aria-labelledby="ask-h"><form method="dialog" id="ask-form">
        <h2 id="ask-h">This mock wants its token</h2>
        <p>It is <code>adminToken</code> of the ready line and of <code>mock.json</code>. It is kept until this tab is
        closed.</p>
        <label><span>Token</span><input id="ask-token" type="password" autocomplete="off" required maxlength="256">
        </label><p class="bad-text" id="ask-trouble" role="alert"></p>
        <button type="submit" class="main">Open</button></form></dialog>

        """#
}
