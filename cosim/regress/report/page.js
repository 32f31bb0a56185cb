"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const chunk = 200; // rows that are drawn at once

  // copy puts a text onto the clipboard; where that is not allowed (old browsers, file: in some), by way of a selection
  const copy = async (button) => {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "copied";
    button.classList.add("done");
    setTimeout(() => { button.textContent = "copy"; button.classList.remove("done"); }, 1500);
  };

  // element makes one; texts go in as text, never as markup
  const element = (name, text, cls) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const number = (n) => n.toLocaleString("en-US");
  const span = (ms) => ms < 1000 ? ms + " ms" : (ms / 1000).toFixed(1) + " s";

  const columns = data.columns; // id verdict bucket device preset events cycles duration line folder
  const col = Object.fromEntries(columns.map((c, i) => [c, i]));
  const rank = Object.fromEntries(data.verdicts.map((v, i) => [v, i]));
  const state = { words: [], verdict: "", bucket: "", sort: "", down: false, shown: chunk };
  const haystack = data.rows.map((r) => (r[col.id] + " " + r[col.verdict] + " " + r[col.device] + " " + r[col.preset] + " " + r[col.line]).toLowerCase());

  const chosen = () => {
    const list = [];
    data.rows.forEach((r, i) => {
      if (state.verdict === "!match" ? r[col.verdict] === "match" : state.verdict && r[col.verdict] !== state.verdict) return;
      if (state.bucket && String(r[col.bucket]) !== state.bucket) return;
      if (state.words.every((w) => haystack[i].includes(w))) list.push(r);
    });
    if (state.sort) {
      const c = col[state.sort], sign = state.down ? -1 : 1;
      const key = state.sort === "verdict" ? (r) => rank[r[c]] : (r) => r[c];
      list.sort((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    }
    return list;
  };

  const call = (label, text) => {
    const d = element("div", undefined, "call");
    const b = element("button", "copy");
    b.type = "button";
    b.dataset.copy = text;
    d.append(element("span", label), element("code", text), b);
    return d;
  };

  const detail = (r) => {
    const tr = element("tr", undefined, "detail"), td = element("td");
    td.colSpan = 8;
    if (r[col.line]) td.append(element("p", r[col.line]));
    if (r[col.verdict] !== "skipped") {
      const line = "tandem rerun " + data.run + "/" + r[col.id];
      td.append(call("again", line));
      if (r[col.verdict] === "divergence" && r[col.device] === "rtl") td.append(call("waves", line + " --waves"));
    }
    if (r[col.folder]) td.append(call("folder", r[col.folder]));
    tr.append(td);
    return tr;
  };

  const row = (r) => {
    const tr = element("tr", undefined, "row");
    tr.tabIndex = 0;
    const v = element("td");
    v.append(element("span", r[col.verdict], "pill " + r[col.verdict]));
    const b = element("td", undefined, "n");
    if (r[col.bucket]) {
      const a = element("a", "#" + r[col.bucket]);
      a.href = "#bucket-" + r[col.bucket];
      b.append(a);
    }
    tr.append(element("td", r[col.id], "id"), v, b, element("td", r[col.device] || "–"), element("td", r[col.preset] || "–"),
      element("td", number(r[col.events]), "n"), element("td", number(r[col.cycles]), "n"), element("td", span(r[col.duration]), "n"));
    const toggle = () => {
      if (tr.nextSibling && tr.nextSibling.className === "detail") tr.nextSibling.remove();
      else tr.after(detail(r));
    };
    tr.addEventListener("click", (e) => { if (!e.target.closest("a")) toggle(); });
    tr.addEventListener("keydown", (e) => { if (e.key === "Enter") toggle(); });
    return tr;
  };

  const draw = () => {
    const list = chosen();
    at("rows").tBodies[0].replaceChildren(...list.slice(0, state.shown).map(row));
    const n = Math.min(list.length, state.shown);
    at("count").textContent = list.length === data.rows.length && n === list.length ? number(n) + " executions"
      : number(n) + " of " + number(list.length) + " that fit, of " + number(data.rows.length);
    at("more").hidden = n === list.length;
  };
  const again = () => { state.shown = chunk; draw(); };

  at("find").addEventListener("input", (e) => { state.words = e.target.value.toLowerCase().split(/\s+/).filter(Boolean); again(); });
  at("verdict").addEventListener("change", (e) => { state.verdict = e.target.value; again(); });
  at("bucket").addEventListener("change", (e) => { state.bucket = e.target.value; again(); });
  at("more").addEventListener("click", () => { state.shown += 1000; draw(); });
  at("clear").addEventListener("click", () => {
    state.words = []; state.verdict = state.bucket = "";
    at("find").value = at("verdict").value = at("bucket").value = "";
    again();
  });
  for (const b of document.querySelectorAll("[data-sort]")) b.addEventListener("click", () => {
    state.down = state.sort === b.dataset.sort ? !state.down : ["duration", "cycles", "events", "verdict"].includes(b.dataset.sort);
    state.sort = b.dataset.sort;
    for (const o of document.querySelectorAll("[data-sort]")) o.removeAttribute("aria-sort");
    b.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    draw();
  });

  document.addEventListener("click", (e) => {
    const b = e.target.closest("button");
    if (!b) return;
    if (b.dataset.copy !== undefined) copy(b);
    if (b.dataset.bucket) {
      at("bucket").value = state.bucket = b.dataset.bucket;
      again();
      at("tests").scrollIntoView();
    }
    if (b.id === "unfold") {
      const all = [...document.querySelectorAll(".bucket")], open = !all.every((d) => d.open);
      for (const d of all) d.open = open;
    }
  });
  // a list of events opens at the divergence
  for (const box of document.querySelectorAll(".limit")) box.closest("details").addEventListener("toggle", () => {
    const row = box.querySelector("tr.wrong");
    if (row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.preventDefault(); at("find").focus(); }
  });
  const follow = () => { const d = /^#bucket-\d+$/.test(location.hash) && at(location.hash.slice(1)); if (d) { d.open = true; d.scrollIntoView(); } };
  addEventListener("hashchange", follow);
  draw();
  follow();
})();
