// The live page's look: the colours and shapes of the report's, so that one reads as part of the other. Text has at least
// 4.5:1 against its ground in both schemes, and no meaning hangs on colour alone.

extension LivePage {
    static let baseStyle = #"""
        :root{color-scheme:light dark;--ground:#fafaf8;--card:#fff;--ink:#17191c;--dim:#5b626c;--rule:#e3e4e2;
        --soft:#f1f2f0;--edge:#8b929b;--ok:#0a6b50;--ok-soft:#e2f3ec;--bad:#b4330c;--bad-soft:#fbe9e2;--warn:#7d5600;
        --warn-soft:#fbf1d8;--calm:#4b5563;--calm-soft:#eceef1;--link:#0067a5}
        @media(prefers-color-scheme:dark){:root{--ground:#101316;--card:#171b1f;--ink:#e9ebee;--dim:#9ba4ae;
        --rule:#2b3137;--soft:#1f2429;--edge:#727b85;--ok:#53d1a4;--ok-soft:#123027;--bad:#ff9166;--bad-soft:#3a1d13;
        --warn:#e9bd55;--warn-soft:#332810;--calm:#b2bac4;--calm-soft:#262c33;--link:#5cb3f0}}
        *{box-sizing:border-box}
        [hidden]{display:none!important}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--ground);color:var(--ink);
        font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        h1,h2,h3{line-height:1.2;margin:0;letter-spacing:-.012em}
        h1{font-size:1.7rem;font-weight:680}h2{font-size:1.25rem;font-weight:650}
        h3{font-size:.84rem;font-weight:600;color:var(--dim);letter-spacing:0}
        p{margin:0}
        code,pre,.mono{font:.875em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
        .dim{color:var(--dim)}
        .vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .kicker{margin:0 0 4px;font-size:.78rem;font-weight:600;letter-spacing:.09em;text-transform:uppercase;
        color:var(--dim)}
        .meta{margin-top:6px;color:var(--dim);overflow-wrap:anywhere}
        .meta span+span::before{content:"·";margin:0 .55em}
        .skip{position:absolute;left:12px;top:-60px;padding:8px 14px;background:var(--card);color:var(--link);
        border-radius:8px;z-index:9}
        .skip:focus{top:12px}
        nav{margin-top:20px;padding:9px 0;border-block:1px solid var(--rule);font-size:.92rem}
        nav ul{display:flex;flex-wrap:wrap;gap:4px 22px;margin:0 auto;padding:0 28px;max-width:1320px;list-style:none}
        nav a{color:var(--ink);text-decoration:none;display:inline-block;padding:3px 0}
        nav a:hover{text-decoration:underline}
        .top,main,footer,noscript{display:block;max-width:1320px;margin:0 auto;padding:0 28px}
        .top{display:flex;justify-content:space-between;align-items:flex-start;gap:16px;padding-top:32px}
        footer{padding-top:20px;padding-bottom:40px;margin-top:48px;color:var(--dim);font-size:.88rem}
        .columns{display:grid;grid-template-columns:minmax(0,1fr) 340px;gap:0 36px;align-items:start}
        .wide,.narrow{min-width:0}
        section{margin-top:36px;scroll-margin-top:12px}section:focus{outline:0}
        .bar{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;margin-bottom:12px}
        .bar button{margin-left:auto}
        :is(a,button,input,select,textarea,summary):focus-visible{outline:2px solid var(--link);outline-offset:2px}
        button,input,select,textarea{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--edge);
        border-radius:8px;padding:6px 11px;min-height:36px;max-width:100%}
        button{cursor:pointer;font-weight:550;font-size:.92rem}
        button:hover{background:var(--soft)}
        button[disabled]{opacity:.55;cursor:default}
        button[aria-pressed=true],button.main{background:var(--ink);color:var(--ground);border-color:var(--ink)}
        input::placeholder{color:var(--dim);opacity:1}
        label{display:block;font-size:.84rem;color:var(--dim)}
        label>span{display:block;margin-bottom:3px}
        label input,label select{width:100%;font-size:.95rem}
        .trouble{margin-top:16px;padding:10px 14px;border-radius:8px;background:var(--bad-soft);color:var(--bad);
        overflow-wrap:anywhere}
        .bad-text{color:var(--bad);font-size:.9rem;overflow-wrap:anywhere}
        .bad-text:empty{display:none}
        .ok{--tone:var(--ok);--tint:var(--ok-soft)}.bad{--tone:var(--bad);--tint:var(--bad-soft)}
        .warn{--tone:var(--warn);--tint:var(--warn-soft)}.calm{--tone:var(--calm);--tint:var(--calm-soft)}
        .badge{display:inline-flex;align-items:center;gap:.45em;padding:.1em .65em .12em .55em;border-radius:99px;
        background:var(--tint);color:var(--tone);font-size:.82rem;font-weight:600;white-space:nowrap}
        .badge::before{content:"";flex:none;width:.5em;height:.5em;border-radius:50%;background:currentColor}
        .badge.warn::before{border-radius:0;transform:rotate(45deg)}
        .badge.bad::before{border-radius:0}
        .empty{padding:30px 16px;text-align:center;color:var(--dim);background:var(--soft);border-radius:8px}
        @media(max-width:980px){.columns{grid-template-columns:minmax(0,1fr)}}
        @media(max-width:700px){.top,main,footer,noscript,nav ul{padding-left:16px;padding-right:16px}
        .top{padding-top:20px;flex-wrap:wrap}h1{font-size:1.4rem}section{margin-top:30px}
        button,input,select{min-height:42px}}
        @media(prefers-reduced-motion:no-preference){.fresh{animation:fresh 1.2s ease-out}
        @keyframes fresh{from{background:var(--ok-soft)}}}
        @media(forced-colors:active){.badge,.box,.lock,.island{border:1px solid}}

        """#

    static let sectionStyle = #"""
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(118px,1fr));gap:1px;margin:22px 0 0;
        background:var(--card);border:1px solid var(--rule);border-radius:12px;overflow:hidden}
        .tiles div{padding:11px 15px;box-shadow:0 0 0 1px var(--rule)}
        .tiles dt{font-size:.8rem;color:var(--dim);overflow-wrap:anywhere}
        .tiles dd{margin:1px 0 0;font-size:1.25rem;font-weight:640;font-variant-numeric:tabular-nums;line-height:1.25}
        .filters{display:flex;flex-wrap:wrap;gap:10px;margin-bottom:14px}
        .filters .grow{flex:1 1 220px}.filters label{min-width:0}
        .pager{display:flex;align-items:center;justify-content:center;gap:14px;margin-top:16px;
        font-variant-numeric:tabular-nums}
        .pushes,.faults,.cards{list-style:none;margin:0;padding:0}
        .push-head,.pushes summary{display:grid;gap:0 12px;align-items:baseline;
        grid-template-columns:104px minmax(0,1fr) minmax(0,1.5fr) minmax(0,1.15fr) minmax(0,.9fr)}
        .push-head{padding:0 12px 5px 30px;font-size:.8rem;font-weight:600;color:var(--dim)}
        .pushes{background:var(--card);border:1px solid var(--rule);border-radius:12px;overflow:hidden}
        .pushes:empty{display:none}
        .pushes li+li{border-top:1px solid var(--rule)}
        .pushes summary{position:relative;padding:7px 12px 7px 30px;cursor:pointer;font-size:.9rem;list-style:none;
        font-variant-numeric:tabular-nums}
        .pushes summary::-webkit-details-marker{display:none}
        .pushes summary::before{content:"";position:absolute;left:13px;top:14px;border:4.5px solid transparent;
        border-left:6px solid var(--dim);border-right:0}
        .pushes details[open]>summary::before{transform:rotate(90deg)}
        .pushes summary:hover{background:var(--soft)}
        .pushes summary:focus-visible{outline-offset:-2px}
        .pushes summary>span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .pushes .r-bad{color:var(--bad);font-weight:600}.pushes .r-fault{color:var(--warn);font-weight:600}
        .inside{padding:4px 14px 16px 30px;display:grid;gap:12px}
        .inside h3{margin-bottom:3px}
        .inside pre{margin:0;padding:11px 13px;background:var(--soft);border-radius:8px;overflow:auto;max-height:420px;
        white-space:pre-wrap;overflow-wrap:anywhere}
        .facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:1px 16px;margin:0;font-size:.88rem}
        .facts dt{color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}
        .faults li{padding:11px 0;border-bottom:1px solid var(--rule);display:grid;gap:3px 10px;
        grid-template-columns:minmax(0,1fr) auto;align-items:start}
        .faults .what{font-weight:600;overflow-wrap:anywhere}
        .faults .to{grid-column:1;color:var(--dim);font-size:.88rem;overflow-wrap:anywhere}
        .faults .off .what{color:var(--dim);font-weight:500}
        .faults .do{grid-row:1/3;grid-column:2;display:flex;flex-direction:column;align-items:flex-end;gap:4px}
        .faults .forget{min-height:24px;padding:0 4px;border:0;background:none;color:var(--link);font-size:.84rem;
        text-decoration:underline}
        .switch{position:relative;width:48px;min-height:28px;height:28px;padding:0;border-radius:99px;
        background:var(--calm-soft)}
        .switch:hover{background:var(--calm-soft)}
        .switch::after{content:"";position:absolute;top:4px;left:4px;width:18px;height:18px;border-radius:50%;
        background:var(--edge)}
        .switch[aria-checked=true]{background:var(--link);border-color:var(--link)}
        .switch[aria-checked=true]::after{left:24px;background:var(--card)}
        .box{margin-top:14px;padding:14px 16px;background:var(--card);border:1px solid var(--rule);border-radius:12px}
        summary{cursor:pointer}
        .box>summary{font-weight:600}
        .box form{display:grid;gap:12px;margin-top:14px}
        fieldset{margin:0;padding:0;border:0;display:grid;grid-template-columns:1fr 1fr;gap:10px;min-width:0}
        fieldset .line{grid-column:1/3}
        fieldset legend{padding:0 0 6px;font-size:.84rem;font-weight:600;color:var(--dim)}
        textarea{width:100%;margin-top:6px;font:.84rem/1.45 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        .clock-now{font-size:1.25rem;font-weight:640;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
        .group{margin-top:14px}.group h3{margin-bottom:6px}
        .buttons{display:flex;flex-wrap:wrap;gap:6px}
        .box .inline{display:flex;gap:6px;margin-top:8px}.inline label{flex:1}
        dialog{max-width:min(440px,calc(100vw - 32px));padding:24px;border:1px solid var(--rule);border-radius:14px;
        background:var(--card);color:var(--ink)}
        dialog::backdrop{background:#0008}
        dialog form{display:grid;gap:14px}
        @media(max-width:700px){.push-head{display:none}
        .pushes summary{grid-template-columns:minmax(0,1fr) auto;gap:1px 12px;padding-top:10px;padding-bottom:10px}
        .pushes summary>span:nth-child(1){grid-area:1/2;color:var(--dim);text-align:right}
        .pushes summary>span:nth-child(2){grid-area:1/1;font-weight:600}
        .pushes summary>span:nth-child(3){grid-area:3/1/auto/3;color:var(--dim)}
        .pushes summary>span:nth-child(4){grid-area:2/1}
        .pushes summary>span:nth-child(5){grid-area:2/2;text-align:right}
        .inside{padding-left:14px}.facts{grid-template-columns:minmax(0,1fr)}.facts dd{margin-bottom:5px}
        .tiles{grid-template-columns:repeat(auto-fit,minmax(96px,1fr))}
        .filters label:not(.grow){flex:1 1 120px}}

        """#

    static let cardStyle = #"""
        .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,268px),1fr));gap:18px}
        .phone{display:flex;flex-direction:column;min-width:0;background:var(--card);border:1px solid var(--rule);
        border-radius:18px;overflow:hidden}
        .screen{position:relative;display:flex;flex-direction:column;align-items:center;gap:14px;padding:12px 12px 14px;
        background:linear-gradient(160deg,#dfe6f1,#c9d6e6 55%,#d8d3e6)}
        .island{display:flex;align-items:center;justify-content:space-between;gap:44px;min-width:150px;max-width:92%;
        height:32px;padding:0 12px 0 7px;border-radius:99px;background:#000;color:#fff;font-size:.78rem;font-weight:600}
        .island span:last-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:#8fdcff;
        font-variant-numeric:tabular-nums}
        .icon{flex:none;display:grid;place-items:center;width:20px;height:20px;border-radius:6px;color:#fff;
        background:var(--tile,#44566c);font-size:.72rem;font-weight:700;line-height:1;text-transform:uppercase}
        .lock{width:100%;min-height:106px;padding:12px 14px 13px;border-radius:20px;background:#fffffff0;color:#15181c;
        display:grid;align-content:start;gap:5px;box-shadow:0 1px 3px #0002}
        .lock .row{display:flex;align-items:flex-start;gap:8px;min-width:0}
        .lock .icon{width:24px;height:24px;border-radius:7px}
        .lock .name{flex:1;min-width:0;font-weight:650;line-height:1.3;display:-webkit-box;-webkit-line-clamp:2;
        -webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere}
        .lock .status{flex:none;max-width:45%;padding:0 .55em;border-radius:99px;background:#e4e9f0;color:#333c47;
        font-size:.78rem;font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .lock .body{color:#3c444e;font-size:.9rem;line-height:1.35;display:-webkit-box;-webkit-line-clamp:2;
        -webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere}
        .lock .none{color:#555e69;font-size:.88rem}
        .lock .track{height:6px;border-radius:3px;background:#d9dfe6;overflow:hidden}
        .lock .track i{display:block;height:100%;background:#0067a5}
        .lock .age{font-size:.8rem;color:#555e69;font-variant-numeric:tabular-nums}
        .phone[data-state=stale] .lock{background:#fff8e5f2}
        .phone[data-state=ended] .lock{filter:grayscale(1)}
        .phone:is([data-state=ended],[data-state=dismissed],[data-state=idle],[data-state=unseen]) .island{visibility:hidden}
        .phone:is([data-state=dismissed],[data-state=idle],[data-state=unseen]) .lock{background:#ffffff66;
        border:1.5px dashed #5d6875;box-shadow:none;
        align-content:center;justify-items:center;text-align:center;color:#2b333d}
        .phone:is([data-state=dismissed],[data-state=idle],[data-state=unseen]) .lock>*:not(.mark){display:none}
        .mark{font-size:.82rem;font-weight:650;color:#6b4800}
        .phone:is([data-state=ended],[data-state=dismissed],[data-state=idle],[data-state=unseen]) .mark{color:#2b333d}
        .below{display:grid;gap:6px;padding:11px 14px 13px}
        .below .row{display:flex;align-items:center;justify-content:space-between;gap:10px;min-width:0}
        .below .who{color:var(--ink);font-size:.92rem;font-weight:600;
        overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
        .below .app{color:var(--dim);font-size:.86rem;overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:2;
        -webkit-box-orient:vertical;overflow:hidden}
        .below .count{color:var(--dim);font-size:.86rem;font-variant-numeric:tabular-nums}
        .below .link{flex:none;min-height:28px;padding:0;border:0;background:none;color:var(--link);text-decoration:underline;
        font-size:.88rem;font-weight:500}
        .below details{font-size:.88rem}.below summary{color:var(--dim)}
        .below pre{margin:6px 0 0;padding:9px 11px;background:var(--soft);border-radius:8px;max-height:240px;overflow:auto;
        white-space:pre-wrap;overflow-wrap:anywhere}
        @media(prefers-color-scheme:dark){.screen{background:linear-gradient(160deg,#1b2330,#222a3b 55%,#2b2638)}
        .lock{background:#2a3039f2;color:#f1f3f5}.lock .body{color:#cbd2da}.lock .none,.lock .age{color:#aeb7c1}
        .lock .status{background:#404956;color:#e6eaef}.lock .track{background:#49535f}.lock .track i{background:#5cb3f0}
        .phone[data-state=stale] .lock{background:#3a3322f2}
        .phone:is([data-state=dismissed],[data-state=idle],[data-state=unseen]) .lock{background:#2a303966;border-color:#8b96a3}
        .mark{color:#f2c868}
        .phone:is([data-state=ended],[data-state=dismissed],[data-state=idle],[data-state=unseen]) .mark{color:#dfe4e9}}
        @media(max-width:700px){.below .link{min-height:36px}}

        """#
}
