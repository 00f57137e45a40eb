// The style of lanes and drawn cards. A Lock Screen and an island look the same by day and by night, as they do on a phone.

extension Style {
    static let cards = """
        svg .shape{fill:none;stroke:var(--s);stroke-width:2.4;stroke-linejoin:round;stroke-linecap:round}
        svg .shape.full{fill:var(--s)}
        svg .shape.open{fill:none}
        svg .state{fill:var(--soft);stroke:var(--rule);stroke-width:1}
        svg .state-words{font-size:.96em;paint-order:stroke;stroke:var(--soft);stroke-width:3.5px;stroke-linejoin:round}
        code.line{white-space:nowrap}
        svg .hatch{stroke:var(--c1);stroke-width:2.2;opacity:.5}
        svg .stale{stroke:var(--c1);stroke-width:1;stroke-dasharray:3 3;pointer-events:none}
        svg .reach{fill:transparent;stroke:none}
        svg .mark{cursor:default;outline:none}
        svg .mark:hover .reach,svg .mark:focus .reach{stroke:var(--ink);stroke-width:2;fill:var(--soft)}
        svg .told{display:none}
        svg .mark:hover .told,svg .mark:focus .told{display:inline}
        svg:has(.mark:hover) .hint,svg:has(.mark:focus) .hint{display:none}
        svg:has(.mark:hover) .mark:focus:not(:hover) .told{display:none}
        svg .ring{fill:var(--card);stroke:var(--c1);stroke-width:2}
        svg .ring-number{font-weight:700;font-size:.92em}
        .legend.marks svg{width:16px;height:20px;flex:none;margin:0}
        .sample .shape{fill:none;stroke:var(--s);stroke-width:2.4;stroke-linejoin:round;stroke-linecap:round}
        .sample .shape.full{fill:var(--s)}
        .rank{display:inline-flex;align-items:center;justify-content:center;width:1.5em;height:1.5em;margin-right:.5em;
        border:2px solid var(--c1);border-radius:50%;font-weight:700;font-size:.86em;color:var(--ink)}
        .session>summary{font-size:1rem;color:var(--ink);font-weight:600}
        .session h4{margin:18px 0 4px;font-size:.92rem;font-weight:650}
        .phones{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:16px;margin-top:10px}
        .phone{margin:0;min-width:0}
        .phone figcaption{color:var(--ink);font-weight:600;font-size:.9rem}
        .phone .kind{margin:10px 0 4px;font-size:.8rem;color:var(--dim)}
        .lock,.island{color:#fff;background:#1c1c1e;border:1px solid #48484a;max-width:380px}
        .lock{padding:14px 16px;border-radius:22px;background:linear-gradient(160deg,#2c2c31,#1a1a1d)}
        .lock p{margin:.3em 0 0;overflow-wrap:anywhere;color:#f2f2f7;font-size:.92rem}
        .lock-head{display:flex;align-items:center;gap:9px;min-width:0}
        .lock-head b{flex:1;min-width:0;overflow-wrap:anywhere;font-weight:650}
        .app{flex:none;width:22px;height:22px;border-radius:6px;background:linear-gradient(135deg,#6cb8f5,#2b6fb0)}
        .pill{flex:none;max-width:45%;padding:.1em .7em;border-radius:99px;background:#ffffff2b;font-size:.82rem;
        font-weight:600;overflow-wrap:anywhere}
        .lock .since{color:#c7c7cc;font-variant-numeric:tabular-nums}
        .track{height:6px;margin-top:6px;border-radius:3px;background:#ffffff2b;overflow:hidden}
        .track i{display:block;height:100%;background:#6cb8f5}
        .lock .age{display:flex;align-items:center;gap:7px;margin-top:10px;padding-top:8px;border-top:1px solid #ffffff2b;
        font-weight:650;color:#ffd60a}
        .clock{flex:none;width:13px;height:13px;border:2px solid currentColor;border-radius:50%;position:relative}
        .clock::after{content:"";position:absolute;left:3.5px;top:0;width:3px;height:4px;border-left:2px solid currentColor;
        border-bottom:2px solid currentColor}
        .island{display:grid;grid-template-columns:auto minmax(0,1fr) 30px minmax(0,1fr);align-items:center;gap:8px;
        padding:7px 14px 7px 9px;border-radius:99px;background:#000;font-size:.84rem;font-weight:600}
        .island .leading,.island .trailing{overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
        .island .trailing{text-align:right;font-variant-numeric:tabular-nums}
        .island .trailing.old{color:#ffd60a}
        .island .camera{width:30px;height:13px;border-radius:99px;background:#17171a}
        .nocard{padding:14px 16px;color:var(--dim);background:var(--soft);border-radius:8px}
        @media print{.session:not([open])>*{display:block}}

        """
}
