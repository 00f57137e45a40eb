// The page of a run that goes on: it asks the run's own `/state` once a second.

import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(title: "PushRig run", style: style, markup: markup, script: script)
    static let bytes = Array(page.text.utf8)

    private static let markup = #"""
        <body>
        <a class="skip" href="#main">Skip to the figures</a>
        <header>
        <div><p class="kicker">PushRig run</p><h1 id="title">Connecting</h1><p class="dim" id="meta"></p></div>
        <div class="right"><p class="badge" id="phase" role="status">Connecting</p>
        <button type="button" id="pause" aria-pressed="false">Pause</button></div>
        </header>
        <noscript><p class="trouble">This page needs its own script. The same is to be had as JSON at /state, and for
        Prometheus at /metrics.</p></noscript>
        <main id="main" tabindex="-1">
        <p class="trouble" id="trouble" role="alert" hidden></p>
        <progress id="progress" max="1" value="0" aria-label="Time of the run"></progress>
        <section aria-labelledby="now-h"><h2 id="now-h">By now</h2>
        <dl class="tiles" id="tiles"></dl></section>
        <section aria-labelledby="course-h"><h2 id="course-h">The last five minutes</h2>
        <div class="charts" id="charts"></div>
        <details><summary>The last ten seconds as a table</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="The last ten seconds"><table id="table"></table></div>
        </details></section>
        <section aria-labelledby="gates-h"><h2 id="gates-h">Gates so far</h2>
        <p class="dim" id="gates-none" hidden>The scenario sets no gates.</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Gates so far"><table id="gates"></table></div></section>
        <section aria-labelledby="faults-h"><h2 id="faults-h">Faults in force</h2>
        <ul id="faults"></ul><p class="dim" id="faults-none">None.</p></section>
        </main>
        <footer><p class="dim">What is shown here is no verdict: the judge reads the journal when the run is over.
        <a href="/metrics">Metrics</a> · <a href="/state">JSON</a></p></footer>

        """#

    /// The colours are those of the report; text has at least 4.5:1 against its ground in both schemes, and no meaning hangs
    /// on colour alone.
    private static let style = #"""
        :root{color-scheme:light dark;--ground:#fafaf8;--card:#fff;--ink:#17191c;--dim:#5b626c;--rule:#e3e4e2;
        --soft:#f1f2f0;--edge:#8b929b;--ok:#0a6b50;--bad:#b4330c;--bad-soft:#fbe9e2;--warn:#7d5600;--link:#0067a5;
        --c0:#0067a5;--c1:#b4330c;--c2:#0a6b50;--c3:#8a4d82}
        @media(prefers-color-scheme:dark){:root{--ground:#101316;--card:#171b1f;--ink:#e9ebee;--dim:#9ba4ae;
        --rule:#2b3137;--soft:#1f2429;--edge:#727b85;--ok:#53d1a4;--bad:#ff9166;--bad-soft:#3a1d13;--warn:#e9bd55;
        --link:#5cb3f0;--c0:#5cb3f0;--c1:#ff9166;--c2:#53d1a4;--c3:#d59bcb}}
        *{box-sizing:border-box}[hidden]{display:none!important}
        body{margin:0;background:var(--ground);color:var(--ink);
        font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        header,main,footer,noscript{display:block;max-width:1120px;margin:0 auto;padding:0 24px}
        header{display:flex;justify-content:space-between;gap:16px;padding-top:28px;flex-wrap:wrap}
        main:focus{outline:0}footer{padding:28px 24px 40px}
        h1{font-size:1.6rem;margin:0;line-height:1.2;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:28px 0 10px}
        h3{font-size:.9rem;margin:0 0 4px;font-weight:600}p{margin:0}
        .dim{color:var(--dim)}.right{display:flex;gap:12px;align-items:center}
        .kicker{font-size:.78rem;font-weight:600;letter-spacing:.09em;text-transform:uppercase;color:var(--dim)}
        .skip{position:absolute;left:12px;top:-60px;padding:8px 14px;background:var(--card);color:var(--link);z-index:9}
        .skip:focus{top:12px}a{color:var(--link)}
        :is(a,button,summary,.scroll):focus-visible{outline:2px solid var(--link);outline-offset:2px}
        button{font:inherit;font-weight:550;color:var(--ink);background:var(--card);border:1px solid var(--edge);
        border-radius:8px;padding:6px 14px;min-height:40px;cursor:pointer}
        button[aria-pressed=true]{background:var(--ink);color:var(--ground)}
        .badge{padding:.1em .7em;border:1px solid var(--edge);border-radius:99px;font-weight:600;font-size:.88rem}
        progress{width:100%;height:8px;margin-top:20px;accent-color:var(--link)}
        .trouble{margin-top:16px;padding:10px 14px;border-radius:8px;background:var(--bad-soft);color:var(--bad)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:1px;margin:0;
        background:var(--card);border:1px solid var(--rule);border-radius:12px;overflow:hidden}
        .tiles div{padding:10px 14px;box-shadow:0 0 0 1px var(--rule)}
        .tiles dt{font-size:.8rem;color:var(--dim)}
        .tiles dd{margin:0;font-size:1.2rem;font-weight:640;font-variant-numeric:tabular-nums}
        .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:16px}
        figure{margin:0;padding:12px 14px;background:var(--card);border:1px solid var(--rule);border-radius:12px}
        figcaption{font-size:.84rem;color:var(--dim);font-variant-numeric:tabular-nums}
        svg{display:block;width:100%;height:auto}svg.key{display:inline;width:24px;height:8px;vertical-align:middle}
        svg text{fill:var(--dim);font-size:11px}
        .grid{stroke:var(--rule)}.line{fill:none;stroke-width:2;stroke-linejoin:round}
        .k0{stroke:var(--c0)}.k1{stroke:var(--c1);stroke-dasharray:6 3}.k2{stroke:var(--c2);stroke-dasharray:2 3}
        .k3{stroke:var(--c3)}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th,td{padding:5px 12px 5px 0;text-align:left;border-bottom:1px solid var(--rule);font-size:.92rem}
        .n{text-align:right}.bad{color:var(--bad);font-weight:600}.ok{color:var(--ok)}
        details{margin-top:14px}summary{cursor:pointer;color:var(--link)}
        @media(forced-colors:active){.line{stroke:CanvasText}}

        """#
}
