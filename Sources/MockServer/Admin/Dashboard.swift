// GET /: one small page that shows what the mock is doing. It asks this API only and loads nothing from elsewhere.
// Off loopback it takes the bearer token from the address: http://HOST:PORT/#TOKEN.

import Pushes

let dashboardPage = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>PushRig mock</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 75rem; }
      h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin-top: 2rem; }
      dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: 1rem; }
      dt { opacity: .7; } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
      table { border-collapse: collapse; width: 100%; } th { text-align: left; }
      th, td { padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; white-space: nowrap; }
      td.id { font-family: ui-monospace, monospace; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; }
      .bad { color: #c33; } #trouble { color: #c33; min-height: 1.5em; }
    </style>
    <h1>PushRig mock</h1>
    <p id="where"></p><p id="trouble" role="status"></p>
    <dl id="counts"></dl>
    <h2>Fault rules</h2>
    <table><thead><tr><th>Rule<th>Fired<th>Match<th>Action</thead><tbody id="faults"></tbody></table>
    <h2>Latest pushes</h2>
    <table><thead><tr><th>Arrived<th>Type<th>Token<th>Status<th>Reason<th>Outcome<th>Fault</thead>
    <tbody id="pushes"></tbody></table>
    <script>
    const get = id => document.getElementById(id), token = location.hash.slice(1);
    const headers = token ? { authorization: "Bearer " + token } : {};
    let cursor = "end", shown = [];
    async function ask(path) {
      const answer = await fetch(path, { headers }), body = await answer.json();
      if (!answer.ok) throw new Error(body.error.message + (body.error.hint ? " (" + body.error.hint + ")" : ""));
      return body;
    }
    function rows(target, list) {
      target.replaceChildren(...list.map(cells => {
        const row = document.createElement("tr");
        for (const [text, kind] of cells) {
          const cell = row.insertCell();
          cell.textContent = text ?? "";
          if (kind) cell.className = kind;
          if (kind === "id") cell.title = text ?? "";
        }
        return row;
      }));
    }
    function count(pairs) {
      get("counts").replaceChildren(...pairs.map(([name, value]) => {
        const [box, term, data] = ["div", "dt", "dd"].map(name => document.createElement(name));
        term.textContent = name;
        data.textContent = value.toLocaleString("en");
        box.append(term, data);
        return box;
      }));
    }
    async function refresh() {
      try {
        const [info, rules] = await Promise.all([ask("/v1/info"), ask("/v1/faults")]), numbers = info.statistics;
        get("where").textContent = `APNs ${info.environment} at ${info.apns}, key ${info.keyId}, team ${info.teamId}`;
        count([["Pushes", numbers.pushes], ["Accepted", numbers.byStatus["200"] ?? 0],
          ...Object.entries(numbers.byReason), ["Connections", numbers.connectionsOpen],
          ["Waiting", numbers.openStreams], ["Tokens", numbers.knownTokens], ["Journal bytes", numbers.journalBytes]]);
        rows(get("faults"), rules.faults.map(rule =>
          [[rule.id], [rule.fired], [JSON.stringify(rule.match ?? {})], [JSON.stringify(rule.action)]]));
        get("trouble").textContent = "";
      } catch (error) { get("trouble").textContent = error.message; }
      setTimeout(refresh, 1000);
    }
    async function follow() {
      try {
        const page = await ask("/v1/pushes?limit=200&wait=20s&since=" + encodeURIComponent(cursor ?? "end"));
        cursor = page.next;
        shown = page.pushes.reverse().concat(shown).slice(0, 50);
        rows(get("pushes"), shown.map(push => [[push.arrivedAt], [push.pushType ?? push.kind],
          [push.token ?? push.channel, "id"],
          [push.status ?? "none", push.status === 200 ? "" : "bad"], [push.reason], [push.outcome], [push.fault]]));
        setTimeout(follow, 250);
      } catch (error) { setTimeout(follow, 2000); }
    }
    refresh();
    follow();
    </script>
    </html>

    """
