// The script of the page of a picture, after weights.js, choices.js and svg_context.js: a large picture with one attention over it, its
// words to point at, and all attentions small.

// What is looked at: a map, one of its stacks, a layer (its place), a head (its place; -1: their mean), a row; whether heat is shown.
let map = null, stack = null, layer = 0, head = -1, row = 0, heat = true;
let hover = -1;   // the word pointed at; -1: none
let point = -1;   // the place of the picture pointed at; -1: none
const shownRow = () => hover >= 0 ? hover : row;

for (const one of data.maps) {
  one.stacks = data.stacks.slice(one.first, one.first + one.count);
  one.source = document.createElement("canvas");  // the picture, a pixel for each of its own; ready a moment after the page
  one.source.width = one.width; one.source.height = one.height;
  const image = new Image();
  image.onload = () => { one.source.getContext("2d").drawImage(image, 0, 0, one.width, one.height); one.ready = true; draw(); };
  image.src = one.picture;
}

// Weights of the places, for one row of one head or of the mean of all.
function placeWeights(l, h, r) {
  const {H, S} = stack, part = k => headWeights(stack, l, k).subarray(r * S, (r + 1) * S);
  if (h >= 0 || H === 1) return part(Math.max(h, 0));
  const sum = new Float32Array(S);
  for (let k = 0; k < H; k++) part(k).forEach((w, i) => { sum[i] += w / H; });
  return sum;
}
const isHard = h => stack.chosen.length > 0 && (h >= 0 || stack.H === 1);
const chosenPlace = (l, h, r) => isHard(h) ? stack.chosen[(l * stack.H + Math.max(h, 0)) * stack.T + r] : -1;

function heatOf(share) {
  const x = Math.min(1, Math.max(0, share)) * (data.heat.length - 1), low = Math.min(Math.floor(x), data.heat.length - 2);
  return data.heat[low].map((a, i) => a + (x - low) * (data.heat[low + 1][i] - a));
}
const tint = ([r, g, b]) => `rgb(${Math.round(r)},${Math.round(g)},${Math.round(b)})`;

const isSmall = () => Math.max(map.width, map.height) < 128;

// The picture at (0, 0), and the attention over it.
function paint(g, width, height, weights, hard, chosen, frame) {
  const {gridWidth, gridHeight} = map;
  const x = c => Math.round(c * width / gridWidth), y = r => Math.round(r * height / gridHeight);
  g.imageSmoothingEnabled = !isSmall();
  g.drawImage(map.source, 0, 0, width, height);
  if (!weights) return;
  const most = largest(weights) || 1;
  for (let r = 0; r < gridHeight; r++) for (let c = 0; c < gridWidth; c++) {
    const place = r * gridWidth + c;
    if (hard && place === chosen) continue;
    const over = hard ? data.unread : heatOf(weights[place] / most);
    g.fillStyle = tint(over); g.globalAlpha = over[3];
    g.fillRect(x(c), y(r), x(c + 1) - x(c), y(r + 1) - y(r));
  }
  g.globalAlpha = 1;
  if (chosen < 0) return;
  const c = chosen % gridWidth, r = Math.floor(chosen / gridWidth);
  g.strokeStyle = data.frame; g.lineWidth = frame;
  const inside = (v, most) => Math.min(most - frame / 2, Math.max(frame / 2, v));  // at the edge, too, all of the frame is seen
  const left = inside(x(c), width), up = inside(y(r), height);
  g.strokeRect(left, up, inside(x(c + 1), width) - left, inside(y(r + 1), height) - up);
}

// How large the picture is drawn in this room; small ones by a whole number, so that pixels stay sharp.
function sizeIn(room, highest) {
  const scale = Math.min(room / map.width, highest / map.height), by = scale >= 1 && isSmall() ? Math.floor(scale) : scale;
  return [Math.max(1, Math.round(map.width * by)), Math.max(1, Math.round(map.height * by))];
}

function drawBig() {
  const [width, height] = sizeIn($("box").clientWidth, Math.max(240, innerHeight * 0.7));
  const g = prepare($("big"), width, height), r = shownRow(), weights = placeWeights(layer, head, r);
  paint(g, width, height, heat ? weights : null, isHard(head), chosenPlace(layer, head, r), 3);
  if (point >= 0) {
    const w = width / map.gridWidth, h = height / map.gridHeight;
    g.strokeStyle = "#fff"; g.lineWidth = 1.5;
    g.strokeRect(point % map.gridWidth * w, Math.floor(point / map.gridWidth) * h, w, h);
  }
  const name = stack.rows[r], most = weights.indexOf(largest(weights));
  const at = place => `row ${Math.floor(place / map.gridWidth)}, column ${place % map.gridWidth}`;
  $("big").setAttribute("aria-label", `The picture, and where ${name} looked`);
  $("what").textContent = named();
  $("said").textContent = point >= 0 ? `${at(point)}: ${number(weights[point])}`
    : isHard(head) ? `${name} read the place at ${at(chosenPlace(layer, head, r))}` : `${name} looked most at ${at(most)}: ${number(weights[most])}`;
}

// The words, and how much each looked at the place that is pointed at.
let wordsOf = null;  // the stack that they are of
function drawWords() {
  const box = $("words");
  if (wordsOf !== stack) {
    wordsOf = stack;
    box.replaceChildren(...(stack.T > 1 ? stack.rows : []).map((text, r) => {
      const button = document.createElement("button");
      button.type = "button"; button.textContent = text;
      button.addEventListener("pointerenter", () => { hover = r; draw(); });
      button.addEventListener("pointerleave", () => { hover = -1; draw(); });
      button.addEventListener("click", () => { row = r; show(); });
      return button;
    }));
  }
  [...box.children].forEach((button, r) => {
    button.setAttribute("aria-pressed", r === shownRow());
    button.querySelector("i")?.remove();
    if (point < 0) return;
    const weights = placeWeights(layer, head, r), share = weights[point] / (largest(weights) || 1);
    const bar = document.createElement("i");
    bar.style.transform = `scaleX(${share})`;
    button.append(bar);
  });
}

// All attentions small: the words of a caption, or layers and heads.
let tilesOf = "";  // what the tiles show: pointing at something need not draw them again
function drawTiles() {
  const words = stack.T > 1, box = $("tiles"), current = words ? shownRow() : layer * (stack.H + 1) + head;
  const shows = [data.maps.indexOf(map), stack.name, words ? [layer, head] : "", map.ready].join();
  const items = [];
  if (words) for (let r = 0; r < stack.T; r++) items.push({l: layer, h: head, r, label: stack.rows[r], go() { row = r; }, index: r});
  else for (let l = 0; l < stack.L; l++) for (let h = 0; h < stack.H; h++)
    items.push({l, h, r: 0, label: "", go() { layer = l; head = h; }, index: l * (stack.H + 1) + h});
  if (shows !== tilesOf) {
    tilesOf = shows;
    box.className = words ? "words" : "heads";
    box.style.gridTemplateColumns = words ? "" : `repeat(${stack.H + 1}, max-content)`;
    box.replaceChildren();
    if (!words) {
      const heading = text => { const span = document.createElement("span"); span.textContent = text; box.append(span); };
      heading("");
      for (const h of stack.heads) heading(stack.H > 1 ? `head ${h}` : "");
    }
    const [width, height] = sizeIn(words ? 100 : narrow.matches ? 60 : 72, 100);
    for (const item of items) {
      if (!words && item.h === 0) { const span = document.createElement("span"); span.textContent = `layer ${stack.layers[item.l]}`; box.append(span); }
      const button = document.createElement("button"), canvas = document.createElement("canvas");
      const weights = placeWeights(item.l, item.h, item.r);
      button.type = "button"; button.dataset.index = item.index;
      paint(prepare(canvas, width, height), width, height, weights, isHard(item.h), chosenPlace(item.l, item.h, item.r), 2);
      button.append(canvas);
      for (const [kind, text] of words ? [["label", item.label], ["number", isHard(item.h) ? "" : short(largest(weights))]] : []) {
        const span = document.createElement("span");
        span.className = kind; span.textContent = text; button.append(span);
      }
      button.title = words ? `${item.label}: ${number(largest(weights))}` : `layer ${stack.layers[item.l]}, head ${stack.heads[item.h]}: ${number(largest(weights))}`;
      button.addEventListener("click", () => { item.go(); show(); });
      if (words) {
        button.addEventListener("pointerenter", () => { hover = item.r; draw(); });
        button.addEventListener("pointerleave", () => { hover = -1; draw(); });
      }
      box.append(button);
    }
  }
  for (const button of box.querySelectorAll("button")) button.setAttribute("aria-current", Number(button.dataset.index) === current);
  $("otherstitle").textContent = words ? isHard(head) ? "Every word, and the place that it read." : "Every word, and its largest weight." : `${stack.name}: every layer${stack.H > 1 ? " and head" : ""}. Click one to see it large.`;
}
function drawKey() {
  const box = $("key");
  box.replaceChildren();
  const span = (kind, text) => { const s = document.createElement("span"); s.className = kind; s.textContent = text; box.append(s); return s; };
  if (isHard(head)) { span("ring", ""); span("", "the place that was read"); return; }
  span("", "0");
  span("ramp", "").style.background = `linear-gradient(90deg, ${Array.from({length: 17}, (_, i) => { const [r, g, b, a] = heatOf(i / 16); return tint([r, g, b].map(v => v * a + 176 * (1 - a))); }).join(", ")})`;
  span("", `${number(largest(placeWeights(layer, head, shownRow())))}, the largest weight`);
}

function named() {
  const parts = stack.T === 1 ? [stack.name] : [`where “${stack.rows[shownRow()]}” looked`];
  if (stack.L > 1) parts.push(`layer ${stack.layers[layer]}`);
  if (stack.H > 1) parts.push(head < 0 ? `mean of ${stack.H} heads` : `head ${stack.heads[head]}`);
  return parts.join(", ");
}

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawBig(); drawWords(); drawKey(); drawTiles(); });
}
function setMap(next) { map = next; setStack(map.stacks[0]); document.querySelector("h1").textContent = document.title = map.title; }
function setStack(next) {
  stack = next; hover = point = -1;
  layer = stack.L - 1; head = stack.H > 1 ? -1 : 0; row = Math.max(stack.row, 0);
}
function drawBar() {
  const focused = document.activeElement?.closest?.("#bar .choices"), index = focused ? [...focused.children].indexOf(document.activeElement) : -1;
  $("bar").replaceChildren();
  if (data.maps.length > 1) choices("Picture", "maps", data.maps.map((m, i) => [i + 1, m === map, () => { setMap(m); show(); }]));
  if (map.stacks.length > 1) choices("Attention", "stacks", map.stacks.map(s => [s.name, s === stack, () => { setStack(s); show(); }]));
  if (stack.L > 1) choices("Layer", "layers", stack.layers.map((n, l) => [n, l === layer, () => { layer = l; show(); }]));
  if (stack.H > 1) choices("Head", "onehead", [...stack.heads.map((n, h) => [n, h === head, () => { head = h; show(); }]), ["mean", head < 0, () => { head = -1; show(); }]]);
  choices("Show", "shows", [["attention", heat, () => { heat = true; show(); }], ["picture alone", !heat, () => { heat = false; show(); }]]);
  for (const button of choices("Save", "save", [["SVG", false, () => saveAs("svg")], ["PNG", false, () => saveAs("png")]]).children) {
    button.title = `save the strip as a picture: ${button.textContent}`;
    button.removeAttribute("aria-pressed");
  }
  if (focused) $(focused.id)?.children[index]?.focus();
}
// The view is kept in the address, so that it can be shared: #picture=1&attention=rollout&layer=2&head=3&word=7
function save() {
  const parts = new URLSearchParams();
  if (data.maps.length > 1) parts.set("picture", data.maps.indexOf(map) + 1);
  if (map.stacks.length > 1) parts.set("attention", stack.name);
  if (stack.L > 1) parts.set("layer", stack.layers[layer]);
  if (stack.H > 1 && head >= 0) parts.set("head", stack.heads[head]);
  if (stack.T > 1) parts.set("word", row + 1);
  try { history.replaceState(null, "", "#" + parts); } catch { /* a frame without an address of its own */ }
}
function load() {
  const parts = new URLSearchParams(location.hash.slice(1)), place = (list, name) => list.indexOf(Number(parts.get(name)));
  setMap(data.maps[parseInt(parts.get("picture")) - 1] || map || data.maps[0]);
  setStack(map.stacks.find(s => s.name === parts.get("attention")) || stack);
  if (parts.has("layer") && place(stack.layers, "layer") >= 0) layer = place(stack.layers, "layer");
  if (parts.has("head") && place(stack.heads, "head") >= 0) head = place(stack.heads, "head");
  const word = parseInt(parts.get("word")) - 1;
  if (word >= 0 && word < stack.T) row = word;
}
function show() {
  $("shape").textContent = [stack.L > 1 ? `${stack.L} layers` : "", stack.H > 1 ? `${stack.H} heads` : "", `${map.gridHeight} × ${map.gridWidth} places`].filter(Boolean).join(", ");
  $("help").textContent = `Point at ${stack.T > 1 ? "a word to see where it looked, or at " : ""}the picture to read a place. Keyboard: ` +
    [stack.T > 1 ? "left and right for words" : stack.H > 1 ? "left and right for heads" : "", stack.L > 1 ? "up and down for layers" : "", "H hides the heat"].filter(Boolean).join(", ") + ".";
  drawBar(); save(); draw();
}

// The picture and each attention in rows, as the strip of the command has them.
function strip() {
  const margin = 16, gap = 12, [width, height] = sizeIn(144, 144), across = Math.max(1, Math.min(7, stack.T > 1 ? stack.T + 1 : stack.H > 1 ? stack.H : stack.L));
  const items = stack.T > 1 ? [null, ...stack.rows.map((label, r) => ({l: layer, h: head, r, label}))]
    : Array.from({length: stack.L * stack.H}, (_, i) => ({l: Math.floor(i / stack.H), h: i % stack.H, r: 0, label: `layer ${stack.layers[Math.floor(i / stack.H)]}` + (stack.H > 1 ? `, head ${stack.heads[i % stack.H]}` : "")}));
  const line = height + 40, top = margin + 32;
  return {width: Math.max(420, 2 * margin + across * (width + gap) - gap), height: top + Math.ceil(items.length / across) * line + 8, paint(g, w, h) {
    g.fillStyle = css("--card"); g.fillRect(0, 0, w, h);
    g.textBaseline = "middle"; g.textAlign = "left"; g.fillStyle = css("--ink"); g.font = "600 " + font(16);
    g.fillText(elide(document.title, 16, w - 2 * margin), margin, margin + 8);
    items.forEach((item, i) => {
      g.save(); g.translate(margin + i % across * (width + gap), top + Math.floor(i / across) * line);
      const weights = item && placeWeights(item.l, item.h, item.r);
      paint(g, width, height, weights, item && isHard(item.h), item ? chosenPlace(item.l, item.h, item.r) : -1, 2.5);
      if (item) {
        g.textAlign = "center"; g.textBaseline = "middle"; g.font = font(13); g.fillStyle = css("--ink"); g.fillText(elide(item.label, 13, width + gap - 2), width / 2, height + 12);
        if (!isHard(item.h)) { g.font = font(11); g.fillStyle = css("--soft"); g.fillText(short(largest(weights)), width / 2, height + 27); }
      }
      g.restore();
    });
  }};
}
async function saveAs(kind) {
  const picture = strip(), link = document.createElement("a");
  let blob;
  if (kind === "svg") {
    const g = new SvgContext(picture.width, picture.height);
    picture.paint(g, picture.width, picture.height);
    blob = new Blob([g.finish()], {type: "image/svg+xml"});
  } else {
    const canvas = document.createElement("canvas"), scale = Math.min(2, 8000 / Math.max(picture.width, picture.height)), g = canvas.getContext("2d");
    canvas.width = Math.ceil(picture.width * scale); canvas.height = Math.ceil(picture.height * scale);
    g.scale(scale, scale);
    picture.paint(g, picture.width, picture.height);
    blob = await new Promise(done => canvas.toBlob(done, "image/png"));
  }
  link.href = URL.createObjectURL(blob);
  link.download = `${document.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "attention"}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

$("big").addEventListener("pointermove", e => {
  const box = $("big").getBoundingClientRect(), cut = (v, n) => Math.max(0, Math.min(n - 1, Math.floor(v * n)));
  const next = cut((e.clientY - box.top) / box.height, map.gridHeight) * map.gridWidth + cut((e.clientX - box.left) / box.width, map.gridWidth);
  if (next !== point) { point = next; draw(); }
});
$("big").addEventListener("pointerleave", () => { point = -1; draw(); });
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1}[e.key], sideways = e.key === "ArrowLeft" || e.key === "ArrowRight";
  const next = (i, n) => (i + step + n) % n;
  if (step && sideways && stack.T > 1) row = next(row, stack.T);
  else if (step && sideways && stack.H > 1) head = (head + 1 + step + stack.H + 1) % (stack.H + 1) - 1;
  else if (step && !sideways && stack.L > 1) layer = next(layer, stack.L);
  else if (e.key === "h" || e.key === "H") heat = !heat;
  else return;
  e.preventDefault(); hover = -1; show();
});
$("exact").textContent = data.rounded ? "Weights are rounded: to 0.004 near 1, 0.0004 near 0.01. Fewer layers or heads make an exact page." : "";
addEventListener("hashchange", () => { load(); show(); });
addEventListener("resize", draw);
dark.addEventListener("change", show);
load();
show();
