// The search of the site: all words of a query have to be in a section; what has them in its headings comes first. The index is
// loaded when somebody goes to the box, as a script, so that it works from a disk as well.
"use strict";
var most = 20;

/** The best sections for a query, best first: [title, section, address, text]. */
function find(pages, query) {
  var words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  var found = [];
  pages.forEach(function (page, place) {
    var head = (page[0] + " " + page[1]).toLowerCase(), text = page[3].toLowerCase(), score = 0;
    for (var word of words) {
      if (head.includes(word)) score += 10;
      else if (text.includes(word)) score += 1;
      else return;
    }
    found.push([score, place, page]);
  });
  found.sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
  return found.slice(0, most).map(function (entry) { return entry[2]; });
}

/** What stands around the first of the words. */
function excerpt(text, query) {
  var low = text.toLowerCase(), word = query.toLowerCase().split(/\s+/).filter(Boolean).find(function (w) { return low.includes(w); });
  var from = Math.max(0, word ? low.indexOf(word) - 40 : 0);
  return (from ? "…" : "") + text.slice(from, from + 140) + (from + 140 < text.length ? "…" : "");
}

if (typeof document !== "undefined") {
  var box = document.getElementById("site-search"), list = document.getElementById("site-found");
  box.form.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = list.querySelector("a");
    if (first) first.click();
  });
  box.addEventListener("input", show);
  box.addEventListener("focus", function () {
    if (window.pages || document.getElementById("index")) return;
    var script = document.createElement("script");
    script.id = "index";
    script.src = "search.js";
    script.onload = show;
    document.body.append(script);
  }, { once: false });
  if (box === document.activeElement) box.dispatchEvent(new Event("focus"));
}

function show() {
  list.replaceChildren();
  if (!window.pages) return;
  var query = box.value;
  find(window.pages, query).forEach(function (page) {
    var item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
    link.href = page[2];
    link.textContent = page[1] ? page[0] + ": " + page[1] : page[0];
    text.textContent = excerpt(page[3], query);
    item.append(link, text);
    list.append(item);
  });
  if (query.trim() && !list.children.length) {
    var none = document.createElement("li");
    none.textContent = "Nothing has all of these words.";
    list.append(none);
  }
}

if (typeof module !== "undefined") module.exports = { find: find, excerpt: excerpt };
