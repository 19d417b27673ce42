#include "html_parts.h"

namespace tenet::report {

std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark;
  --bg:#fbfbf9; --card:#ffffff; --ink:#1c2127; --dim:#667080; --rule:#dfe3e8; --pick:#fff3cf; --pick-rule:#e0a800;
  --good:#1a7f4b; --bad:#c22f2f; --open:#9a6700; --wire:#4b5563; --code:#f3f4f1;
  --r0:#2563c9; --r1:#a8480a; --r2:#1a7f4b; --r3:#8b3fb0; --r4:#0f7c86; --r5:#a02c5d; }
@media (prefers-color-scheme: dark) { :root {
  --bg:#15181c; --card:#1d2126; --ink:#e4e7eb; --dim:#98a2b0; --rule:#343a43; --pick:#3a3215; --pick-rule:#d5a93b;
  --good:#57c98a; --bad:#ff7b72; --open:#e0b04a; --wire:#aab4c2; --code:#23282e;
  --r0:#79b0ff; --r1:#ffab70; --r2:#6fd39b; --r3:#d0a1f0; --r4:#66d2dc; --r5:#f59ac0; } }
* { box-sizing:border-box; }
body { margin:0; background:var(--bg); color:var(--ink); font:15px/1.45 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif; }
main { padding:20px 28px 28px; max-width:1800px; margin:0 auto; }
code,pre,.deed,.change,.send,.fault,.quiet,.state,.eval { font-family:ui-monospace,"SF Mono","DejaVu Sans Mono",Menlo,Consolas,monospace; }
h1 { font-size:22px; margin:0 0 2px; } h2 { font-size:18px; margin:34px 0 6px; } h3 { font-size:15px; margin:20px 0 6px; }
h2 code { font-weight:400; font-size:14px; color:var(--dim); }
.dim { color:var(--dim); } .good { color:var(--good); } .bad { color:var(--bad); } .open { color:var(--open); }
.verdict { font-size:16px; font-weight:600; margin:4px 0 0; }
table.list { border-collapse:collapse; margin:6px 0 4px; background:var(--card); border:1px solid var(--rule); border-radius:6px; }
table.list td, table.list th { padding:4px 12px; text-align:left; vertical-align:top; border-top:1px solid var(--rule); }
table.list th { font-weight:600; color:var(--dim); font-size:13px; border-top:0; }
table.list td.n { text-align:right; font-variant-numeric:tabular-nums; }
.finding { background:var(--card); border:1px solid var(--rule); border-radius:8px; padding:14px 18px 0; margin:18px 0 8px; width:max-content; min-width:100%; }
.finding h3 { margin-top:0; font-size:17px; }
pre.source { background:var(--code); padding:8px 12px; border-radius:6px; margin:8px 0; font-size:13px; line-height:19px; overflow-x:auto; max-width:1100px; }
pre.source .ln { color:var(--dim); user-select:none; }
.why { border-left:4px solid var(--bad); padding:2px 0 2px 14px; margin:12px 0; }
.why.reached { border-color:var(--good); }
.eval { font-size:13px; border-collapse:collapse; margin-top:6px; } .eval td { padding:1px 22px 1px 0; vertical-align:top; }
.eval td:last-child { font-weight:600; }
.start { font-size:13px; margin:8px 0 12px; color:var(--ink); } .start b { font-weight:600; } .start code { color:var(--dim); }
.keys { font-size:13px; color:var(--dim); margin:8px 0; } kbd { border:1px solid var(--rule); border-radius:4px; padding:0 5px; font-size:12px; background:var(--code); }
.chart { width:max-content; }
.hosts { position:sticky; top:0; height:34px; background:var(--card); z-index:2; border-bottom:1px solid var(--rule); width:100%; }
.host { position:absolute; transform:translateX(-50%); top:7px; font-size:13px; font-weight:600; white-space:nowrap; }
.body { display:flex; align-items:flex-start; } .body svg { flex:none; width:var(--w); }
svg text { font:12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace; fill:var(--ink); paint-order:stroke; stroke:var(--card); stroke-width:4px; stroke-linejoin:round; }
svg .num { font-weight:700; fill:var(--card); stroke:none; font-size:11px; } svg .local { fill:var(--ink); font-weight:600; }
.life { stroke-width:1.5; opacity:.45; } .wire { stroke:var(--wire); stroke-width:1.4; fill:none; } #tip path { fill:var(--wire); }
.lost { stroke:var(--wire); stroke-width:1.2; stroke-dasharray:3 3; opacity:.6; }
.r0{--c:var(--r0)} .r1{--c:var(--r1)} .r2{--c:var(--r2)} .r3{--c:var(--r3)} .r4{--c:var(--r4)} .r5{--c:var(--r5)}
.host { color:var(--c); } .life { stroke:var(--c); } .dot circle { fill:var(--c); } .dot { cursor:pointer; }
.steps { list-style:none; margin:0; padding:0; font-size:12.5px; line-height:19px; }
.steps li { padding:8px 14px 8px 12px; border-top:1px solid var(--rule); cursor:pointer; overflow:hidden; border-left:3px solid transparent; }
.steps li:first-child { border-top-color:transparent; }
.steps li > div { width:62ch; word-break:break-all; white-space:pre-wrap; }
.change span, .send span { color:var(--dim); } .fault { color:var(--bad); font-weight:600; } .quiet { color:var(--dim); }
li.on { background:var(--pick); border-left-color:var(--pick-rule); }
.on.dot circle { stroke:var(--pick-rule); stroke-width:4px; } .msg.on .wire { stroke:var(--pick-rule); stroke-width:2.6; } .msg.off, .dot.off { opacity:.28; }
.state { position:sticky; bottom:0; background:var(--card); border-top:2px solid var(--rule); padding:8px 0 12px; font-size:12.5px; z-index:2; max-height:36vh; overflow:auto; }
.state-title { font-weight:700; margin-bottom:4px; } .state-body { display:flex; flex-wrap:wrap; gap:6px 30px; max-width:1400px; }
.state dl { display:grid; grid-template-columns:max-content max-content; gap:0 10px; margin:0; align-content:start; }
.state dt { color:var(--dim); } .state dd { margin:0; max-width:60ch; word-break:break-all; } .state .owner { grid-column:1/3; color:var(--ink); font-weight:600; }
.state dd.new { background:var(--pick); font-weight:700; }
.proof summary { cursor:pointer; margin:6px 0; } .proof ul { margin:2px 0 10px; padding-left:22px; } .proof li { margin:2px 0; }
.proof h4 { margin:10px 0 2px; font-size:14px; } .proof td.n { white-space:nowrap; } .proof code { font-size:13px; overflow-wrap:anywhere; }
@media print { .state, .hosts { position:static; } }
)css";
}

std::string_view page_script() {
  return R"js(
"use strict";
let chosen = null;
document.querySelectorAll(".finding").forEach((box) => {
  const rows = [...box.querySelectorAll(".steps li")];
  if (!rows.length) return;
  const dots = [...box.querySelectorAll(".dot")], wires = [...box.querySelectorAll(".msg")];
  const cells = [...box.querySelectorAll("dd[data-c]")], title = box.querySelector(".state-title");
  const start = cells.map((c) => c.textContent);
  let now = -1;
  const show = (step, scroll) => {
    now = Math.max(-1, Math.min(rows.length - 1, step));
    rows.forEach((r, i) => r.classList.toggle("on", i === now));
    dots.forEach((d) => { const i = +d.dataset.step;
      d.classList.toggle("on", i === now); d.classList.toggle("off", now >= 0 && i > now); });
    wires.forEach((w) => { const from = +w.dataset.from, to = +w.dataset.to;
      w.classList.toggle("on", now >= 0 && (from === now || to === now)); w.classList.toggle("off", now >= 0 && from > now); });
    const values = start.slice(), fresh = new Set();
    for (let i = 0; i <= now; i++) rows[i].querySelectorAll(".cells i").forEach((c) => {
      values[+c.dataset.c] = c.textContent; if (i === now) fresh.add(+c.dataset.c); });
    cells.forEach((c, i) => { c.textContent = values[i]; c.classList.toggle("new", fresh.has(i)); });
    title.textContent = now < 0 ? "Initial state" : "State after step " + (now + 1) + " of " + rows.length;
    if (scroll && now >= 0) rows[now].scrollIntoView({ block: "center" });
  };
  box.show = show; box.now = () => now; box.count = rows.length;
  rows.forEach((r, i) => r.addEventListener("click", () => { chosen = box; show(i, false); }));
  dots.forEach((d) => d.addEventListener("click", () => { chosen = box; show(+d.dataset.step, false); }));
  if (!chosen) { chosen = box; }
  show(rows.length - 1, false);
});
document.addEventListener("keydown", (e) => {
  if (!chosen || e.ctrlKey || e.altKey || e.metaKey) return;
  const go = { ArrowDown: chosen.now() + 1, j: chosen.now() + 1, ArrowUp: chosen.now() - 1, k: chosen.now() - 1,
               Home: -1, End: chosen.count - 1 }[e.key];
  if (go === undefined) return;
  e.preventDefault(); chosen.show(go, true);
});
)js";
}

}  // namespace tenet::report
