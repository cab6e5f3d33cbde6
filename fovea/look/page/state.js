// The second part of the page's script: what is looked at, its buttons, and its place in the address.

// What is looked at: a stack, a view, a layer (its place), which heads, and a pinned token {side: "row" or "key", i}.
let stack = null, view = data.view, layer = 0, on = [], pinned = null;
let point = null;   // the token pointed at
let at = null;      // the cell of the heat map pointed at, {row, column}
let heads = [];     // weights [T * S] of the heads that are on, {number, color, weights}
let weights = null, seen = [], chosen = null, oneHot = false, most = 1;  // of their mean
const views = {heads: "heads", model: "model", map: "map"};
const token = () => pinned || (view === "map" ? at && {side: "row", i: at.row} : point);
// A weight of 0, unless it only says that another key was chosen.
const isHidden = (r, c) => weights[r * stack.S + c] === 0 && (!oneHot || !seen[r]);

function read() {
  const {T, S, N, H} = stack;
  heads = [];
  for (let h = 0; h < H; h++) if (on[h]) heads.push({number: stack.heads[h], color: headColor(h), weights: headWeights(stack, layer, h)});
  if (heads.length === 1) weights = heads[0].weights;
  else {
    weights = new Float32Array(N);
    for (const head of heads) for (let i = 0; i < N; i++) weights[i] += head.weights[i] / heads.length;
  }
  most = largest(weights);
  if (heads.length === 1 && H > 1) for (let h = 0; h < H; h++) most = Math.max(most, largest(headWeights(stack, layer, h)));
  most = most || 1;
  seen = Array.from({length: T}, (_, r) => { let n = 0; for (let c = 0; c < S; c++) n += weights[r * S + c] !== 0; return n; });
  const first = (layer * H + on.indexOf(true)) * T;
  chosen = stack.chosen.length && heads.length === 1 ? stack.chosen.slice(first, first + T) : null;
  oneHot = chosen !== null && seen.every(n => n < 2);
}

// The view is kept in the address, so that it can be shared: #view=heads&attention=cross&layer=2&heads=0,3&row=7
function save() {
  const parts = new URLSearchParams({view});
  if (data.stacks.length > 1) parts.set("attention", stack.name);
  if (stack.L > 1) parts.set("layer", stack.layers[layer]);
  if (!on.every(Boolean)) parts.set("heads", stack.heads.filter((_, h) => on[h]).join(","));
  if (pinned) parts.set(pinned.side, pinned.i + 1);
  try { history.replaceState(null, "", "#" + String(parts).replaceAll("%2C", ",")); } catch { /* a frame without an address of its own */ }
}
function load() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!stack && data.open && !location.hash) {  // a page about one token begins where that token says most
    setStack(data.stacks[data.open.stack]);
    layer = data.open.layer;
    on = stack.heads.map((_, h) => h === data.open.head);
    return;
  }
  const found = data.stacks.find(s => s.name === parts.get("attention"));
  setStack(found || stack || data.stacks[0]);
  if (parts.get("view") in views) view = parts.get("view");
  layer = Math.max(0, stack.layers.indexOf(Number(parts.get("layer") ?? stack.layers[0])));
  const wanted = (parts.get("heads") || "").split(",").filter(Boolean).map(Number);
  on = stack.heads.map(h => !wanted.length || wanted.includes(h));
  if (!on.some(Boolean)) on.fill(true);
  for (const [side, n] of [["row", stack.T], ["key", stack.S]]) {
    const i = parseInt(parts.get(side)) - 1;
    if (i >= 0 && i < n) pinned = {side, i};
  }
}
function setStack(next) {
  const before = stack;
  stack = next;
  pinned = stack.row >= 0 ? {side: "row", i: stack.row} : null; point = at = null;
  layer = before ? Math.max(0, stack.layers.indexOf(before.layers[layer])) : 0;
  on = stack.heads.map(h => { const i = before ? before.heads.indexOf(h) : -1; return i < 0 || on[i]; });
  if (!on.some(Boolean)) on.fill(true);
}
function pin(side, i) { pinned = pinned && pinned.side === side && pinned.i === i ? null : {side, i}; save(); draw(); }
// The buttons are made anew at each click, so that a double click is told by its time.
let clicked = {head: -1, time: 0};
function toggle(h, event) {
  const again = clicked.head === h && event.timeStamp - clicked.time < 400 && event.detail > 0;
  clicked = {head: h, time: event.timeStamp};
  if (again || event.shiftKey) return isolate(h);
  on[h] = !on[h];
  if (!on.some(Boolean)) on.fill(true);
  show();
}
function isolate(h) { on = stack.heads.map((_, i) => i === h); show(); }

function drawBar() {
  const focused = document.activeElement?.closest?.("#bar .choices"), index = focused ? [...focused.children].indexOf(document.activeElement) : -1;
  $("bar").replaceChildren();
  choices("View", "views", Object.keys(views).filter(v => v !== "model" || stack.L * stack.H > 1).map(v => [views[v], v === view, () => { view = v; show(); }]));
  if (data.stacks.length > 1) choices("Attention", "stacks", data.stacks.map(s => [s.name, s === stack, () => { setStack(s); show(); }]));
  if (stack.L > 1 && view !== "model") choices("Layer", "layers", stack.layers.map((n, l) => [n, l === layer, () => { layer = l; show(); }]));
  if (stack.H > 1 && view !== "model") {
    const box = choices("Heads", "heads", [...stack.heads.map((n, h) => [n, on[h], e => toggle(h, e)]), ["all", false, () => { on.fill(true); show(); }]]);
    stack.heads.forEach((n, h) => {
      const button = box.children[h];
      button.style.setProperty("--color", headColor(h));
      button.title = `head ${n}: click to show or hide it, double click (Shift and Enter) for it alone`;
    });
    box.lastChild.className = "all"; box.lastChild.removeAttribute("aria-pressed");
  }
  for (const button of choices("Save", "save", [["SVG", false, () => saveAs("svg")], ["PNG", false, () => saveAs("png")]]).children) {
    button.title = `save what is shown as a picture: ${button.textContent}`;
    button.removeAttribute("aria-pressed");
  }
  if (focused) $(focused.id)?.children[index]?.focus();
}
