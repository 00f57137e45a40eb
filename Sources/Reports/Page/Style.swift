// The page's style sheet. Colours are variables, once for light and once for dark; the series colours follow Okabe and
// Ito, darkened or lightened to at least 3:1 against their ground, and no meaning hangs on colour alone.

enum Style {
    static let sheet = base + components + drawings + cards

    private static let base = """
        :root{color-scheme:light dark;--ground:#fafaf8;--card:#fff;--ink:#17191c;--dim:#5b626c;--rule:#e3e4e2;
        --soft:#f1f2f0;--ok:#0a6b50;--ok-soft:#e2f3ec;--bad:#b4330c;--bad-soft:#fbe9e2;--warn:#7d5600;
        --warn-soft:#fbf1d8;
        --calm:#4b5563;--calm-soft:#eceef1;--c0:#0067a5;--c1:#c74a00;--c2:#00795a;--c3:#9c3f85;--c4:#8a6500;
        --c5:#2b83ba;
        --c6:#7a4a2b;--c7:#6a7079;--fault:#e39a1f;--restart:#9aa3ad}
        @media(prefers-color-scheme:dark){:root{--ground:#101316;--card:#171b1f;--ink:#e9ebee;--dim:#9ba4ae;
        --rule:#2b3137;
        --soft:#1f2429;--ok:#53d1a4;--ok-soft:#123027;--bad:#ff9166;--bad-soft:#3a1d13;--warn:#e9bd55;
        --warn-soft:#332810;
        --calm:#b2bac4;--calm-soft:#262c33;--c0:#5cb3f0;--c1:#ff9257;--c2:#45cfa2;--c3:#e08ccb;--c4:#dcb648;
        --c5:#93d3fb;
        --c6:#c89a7c;--c7:#98a1ab;--fault:#e9a13b;--restart:#9aa3ad}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
        body{margin:0;background:var(--ground);color:var(--ink);
        font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        main{max-width:1064px;margin:0 auto;padding:40px 28px 64px}
        h1,h2,h3{line-height:1.2;margin:0;letter-spacing:-.012em;text-wrap:balance}
        h1{font-size:2.1rem;font-weight:680}
        h2{font-size:1.3rem;font-weight:650}
        h3{font-size:1rem;font-weight:650;margin:28px 0 4px}
        p{margin:.4em 0;max-width:88ch;text-wrap:pretty}
        a{color:var(--c0)}
        a:focus-visible,summary:focus-visible{outline:2px solid var(--c0);outline-offset:2px;border-radius:3px}
        code,pre,kbd{font:.875em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
        pre{margin:8px 0 0;padding:14px 16px;background:var(--soft);border-radius:8px;overflow-x:auto;tab-size:2}
        pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
        .dim{color:var(--dim)}
        .kicker{margin:0 0 6px;font-size:.78rem;font-weight:600;letter-spacing:.09em;text-transform:uppercase;
        color:var(--dim)}
        .meta{margin:8px 0 0;color:var(--dim);max-width:none;overflow-wrap:anywhere}
        .meta span+span::before{content:"·";margin:0 .55em}
        nav{margin:26px 0 0;padding:10px 0;border-block:1px solid var(--rule);font-size:.9rem}
        nav ul{display:flex;flex-wrap:wrap;gap:4px 19px;margin:0;padding:0;list-style:none}
        nav a{color:var(--ink);text-decoration:none;display:inline-block;padding:3px 0}
        nav a:hover{text-decoration:underline}
        section{margin-top:52px;scroll-margin-top:16px}
        footer{margin-top:56px;padding-top:16px;border-top:1px solid var(--rule);color:var(--dim);font-size:.88rem}

        """

    private static let components = """
        .verdict{display:flex;gap:20px;margin-top:24px;padding:22px 24px;border-radius:12px;background:var(--tint);
        border-left:6px solid var(--tone)}
        .verdict h2{font-size:1.55rem;color:var(--tone)}
        .verdict ul{margin:.5em 0 0;padding-left:1.2em}
        .verdict li{margin:.25em 0;overflow-wrap:anywhere}
        .verdict .glyph{flex:none;width:40px;height:40px;color:var(--tone)}
        .ok{--tone:var(--ok);--tint:var(--ok-soft)}.bad{--tone:var(--bad);--tint:var(--bad-soft)}
        .warn{--tone:var(--warn);--tint:var(--warn-soft)}.calm{--tone:var(--calm);--tint:var(--calm-soft)}
        .badge{display:inline-flex;align-items:center;gap:.4em;padding:.06em .62em .1em .5em;border-radius:99px;
        background:var(--tint);color:var(--tone);font-size:.82rem;font-weight:600;white-space:nowrap}
        .badge svg{width:.85em;height:.85em;flex:none}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(142px,1fr));gap:1px;margin:22px 0 0;
        background:var(--card);border:1px solid var(--rule);border-radius:12px;overflow:hidden}
        .tiles div{display:flex;flex-direction:column;padding:14px 16px;box-shadow:0 0 0 1px var(--rule)}
        .tiles dt{font-size:.82rem;color:var(--dim);line-height:1.35}
        .tiles dd{margin:2px 0 0;font-size:1.4rem;font-weight:640;font-variant-numeric:tabular-nums;
        letter-spacing:-.01em;line-height:1.25;white-space:nowrap}
        .tiles dd small{display:block;font-size:.78rem;font-weight:400;letter-spacing:0;color:var(--dim);
        white-space:normal}
        .tiles .bad dd,.tiles .warn dd{color:var(--tone)}
        .card{margin-top:18px;padding:20px 22px;background:var(--card);border:1px solid var(--rule);border-radius:12px}
        .card>:first-child,.card>:first-child figure{margin-top:0}
        .pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px;margin-top:18px}
        .pair .card{margin-top:0}
        .scroll{overflow-x:auto;margin-top:10px;
        background:linear-gradient(to right,var(--card) 30%,#0000),linear-gradient(to left,var(--card) 30%,#0000) 100% 0,
        linear-gradient(to right,#0004,#0000),linear-gradient(to left,#0004,#0000) 100% 0;background-repeat:no-repeat;
        background-size:40px 100%,40px 100%,12px 100%,12px 100%;background-attachment:local,local,scroll,scroll}
        .scroll:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
        table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
        caption{text-align:left;color:var(--dim);padding-bottom:6px;font-size:.88rem;max-width:calc(100vw - 64px)}
        th{font-weight:600;text-align:left;color:var(--dim);font-size:.84rem;white-space:nowrap}
        th,td{padding:7px 14px 7px 0;border-bottom:1px solid var(--rule);vertical-align:baseline}
        tr>:last-child{padding-right:0}
        tbody tr:last-child>*{border-bottom:0}
        tbody th{color:var(--ink);font-size:inherit;font-weight:500}
        th.long{white-space:normal;min-width:220px}
        .n{text-align:right;white-space:nowrap}
        td.zero{color:var(--dim)}td.bad{color:var(--bad);font-weight:600}td.warn{color:var(--warn);font-weight:600}
        .meter{display:block;min-width:70px;height:8px;background:var(--soft);border-radius:4px;overflow:hidden}
        .meter i{display:block;height:100%;min-width:2px;background:var(--c0);border-radius:4px}
        .meter.err i{background:var(--c1)}
        .stack{display:flex;height:12px;min-width:120px;border-radius:4px;overflow:hidden;background:var(--soft)}
        .stack i{display:block;min-width:1px}
        .k-delivered{--s:var(--c2)}.k-superseded{--s:var(--c5)}.k-late{--s:var(--c4)}.k-lost{--s:var(--c1)}
        .k-excused{--s:var(--c7)}
        .stack i{background:var(--s)}
        details{margin-top:14px}details.card{padding-block:12px}
        th small{display:block;font-weight:400;color:var(--dim);font-size:.86rem;margin-top:2px;white-space:normal}
        summary{cursor:pointer;color:var(--dim);font-size:.92rem;padding:4px 0}
        summary:hover{color:var(--ink)}
        .rule{padding:16px 0;border-bottom:1px solid var(--rule)}
        .rule:first-child{padding-top:2px}.rule:last-child{border-bottom:0;padding-bottom:0}
        .rule header{display:flex;align-items:baseline;gap:4px 12px}
        .rule h3{margin:0;font-size:1.02rem}
        .rule p{margin:.3em 0}
        .findings{margin:10px 0 0;padding:0;list-style:none;counter-reset:f}
        .findings li{padding:9px 0 9px 14px;border-left:3px solid var(--rule);margin-top:8px}
        .findings dl{display:grid;grid-template-columns:max-content 1fr;gap:0 12px;margin:2px 0 0;font-size:.9rem}
        .findings dt{color:var(--dim)}.findings dd{margin:0;overflow-wrap:anywhere}
        .facts{display:grid;grid-template-columns:max-content 1fr;gap:6px 24px;margin:0;font-size:.94rem}
        .facts dt{color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}
        .legend{display:flex;flex-wrap:wrap;gap:2px 18px;margin:8px 0 4px;padding:0;list-style:none;font-size:.88rem}
        .legend li{display:flex;align-items:center;gap:7px}
        .swatch{width:18px;height:10px;border-radius:2px;background:var(--s)}
        .swatch.stroke{height:3px}
        .empty{padding:34px 16px;text-align:center;color:var(--dim);background:var(--soft);border-radius:8px;
        max-width:none}
        #tip{position:absolute;z-index:9;pointer-events:none;max-width:280px;padding:9px 12px;border-radius:8px;
        background:var(--ink);color:var(--ground);font-size:.84rem;line-height:1.4;box-shadow:0 4px 18px #0004}
        #tip b{display:block;font-weight:600}
        #tip div{display:flex;justify-content:space-between;gap:18px;font-variant-numeric:tabular-nums}
        @media(max-width:700px){.rule header{flex-wrap:wrap}main{padding:24px 16px 48px}h1{font-size:1.65rem}
        section{margin-top:40px}
        .verdict{padding:18px 16px;gap:12px}.verdict h2{font-size:1.3rem}.verdict .glyph{width:28px;height:28px}
        .card{padding:16px 14px}.tiles{grid-template-columns:1fr 1fr}.tiles dd{font-size:1.2rem}
        table{font-size:.86rem}th,td{padding-right:11px}.stack{min-width:64px}
        .facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:9px}}
        @media print{:root{color-scheme:light}nav,#tip{display:none}.card,.verdict,.tiles{break-inside:avoid}
        body{font-size:11pt}section{margin-top:24pt}}
        @media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}

        """

    private static let drawings = """
        figure{margin:6px 0 0;position:relative}
        figcaption{color:var(--dim);font-size:.92rem;max-width:86ch}
        figure svg{display:block;width:100%;height:auto;margin-top:10px;font-size:12.5px;overflow:visible;
        touch-action:pan-y}
        figure svg.narrow{display:none}
        @media(max-width:700px){figure svg.wide{display:none}figure svg.narrow{display:block;font-size:12px}}
        @media(min-width:701px){.legend.lines{display:none}}
        svg text{fill:var(--ink)}
        svg .tick{fill:var(--dim);font-variant-numeric:tabular-nums}
        svg .panel{font-weight:600;font-size:1.04em}
        .c0{--s:var(--c0)}.c1{--s:var(--c1)}.c2{--s:var(--c2)}.c3{--s:var(--c3)}.c4{--s:var(--c4)}.c5{--s:var(--c5)}
        .c6{--s:var(--c6)}.c7{--s:var(--c7)}
        svg .line{fill:none;stroke:var(--s);stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
        svg .thin{stroke-width:1.7}
        svg .dashed{stroke-dasharray:6 5}
        svg .dot{fill:var(--s);stroke:none}
        svg .area{fill:var(--s);opacity:.14}
        svg .column{fill:var(--s)}
        svg .leader{stroke:var(--s);stroke-width:1;stroke-dasharray:2 3;opacity:.7}
        svg .label{font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round}
        svg text.label[class*=" c"]{fill:var(--s)}
        svg text.label.ok,svg text.label.bad{fill:var(--tone)}
        svg .grid{stroke:var(--rule);stroke-width:1}
        svg .axis{stroke:var(--dim);stroke-width:1;opacity:.65}
        svg .phase{stroke:var(--dim);stroke-width:1;stroke-dasharray:2 4}
        svg .limit{stroke:var(--tone);stroke-width:2}
        svg .limit.dim{stroke:var(--ink);stroke-width:1.4;stroke-dasharray:5 4}
        svg .band{opacity:.17}svg .bar{rx:3px;opacity:.95}
        svg .fault{fill:var(--fault)}svg .restart{fill:var(--restart)}
        svg .band-label{font-size:.88em;font-weight:600;fill:#17191c}
        svg .band-label.outside{fill:var(--dim)}
        svg .cursor{stroke:var(--ink);stroke-width:1;opacity:.55}
        .swatch.fault{--s:var(--fault)}.swatch.restart{--s:var(--restart)}

        """
}
