// The part of the page's script that draws the model view: a thumbnail of each head.

// Every layer and head of a stack as a thumbnail; of long inputs, a mean of neighbours.
let gridOf = null, gridRun = 0;
let jobs = [], zoom = 1;  // thumbnails that are not drawn yet; pixels of a weight
function thumbnail(canvas, layer, head, size, shared) {
  const {T, S} = stack, w = headWeights(stack, layer, head), sums = new Float32Array(size.width * size.height), counts = new Float32Array(sums.length);
  const free = new Set();  // rows with a choice: one that sees a single place says nothing of the others' scale
  for (let r = 0, i = 0; r < T; r++) {
    const y = Math.floor(r * size.height / T) * size.width;
    let places = 0;
    for (let c = 0; c < S; c++, i++) { const p = y + Math.floor(c * size.width / S); sums[p] += w[i]; counts[p]++; places += w[i] > 0; }
    if (places > 1) free.add(y);
  }
  for (let p = 0; p < sums.length; p++) sums[p] /= counts[p];
  const top = shared || largest(free.size ? sums.filter((_, p) => free.has(p - p % size.width)) : sums) || 1;
  canvas.width = size.width; canvas.height = size.height;
  const context = canvas.getContext("2d"), image = context.createImageData(size.width, size.height), empty = hiddenColor();
  for (let p = 0; p < sums.length; p++) {
    const c = sums[p] === 0 ? empty : color(sums[p] / top);
    image.data.set([c[0], c[1], c[2], 255], p * 4);
  }
  context.putImageData(image, 0, 0);
}
function drawModel() {
  const {T, S, L, H} = stack, key = [data.stacks.indexOf(stack), dark.matches, $("shared").checked].join();
  $("gridtitle").textContent = `${stack.name || "heads"}: layers down, heads across. Click a head to open it.`;
  $("gridmost").textContent = $("shared").checked ? stack.most?.toFixed(2) ?? "the largest" : "the largest of each head";
  for (const button of $("grid").querySelectorAll("button"))
    button.setAttribute("aria-current", Number(button.dataset.layer) === layer && on[Number(button.dataset.head)] && heads.length === 1);
  if (gridOf === key) return;
  gridOf = key;
  const grid = $("grid"), run = ++gridRun, side = Math.max(T, S);
  const room = Math.max(36, Math.min(120, (innerWidth - 130) / H - 6)), shrink = Math.min(1, 64 / side);
  zoom = room / side;
  const size = {width: Math.max(1, Math.round(S * shrink)), height: Math.max(1, Math.round(T * shrink))};
  grid.replaceChildren();
  grid.style.gridTemplateColumns = `auto repeat(${H}, auto)`;
  const text = t => { const s = document.createElement("span"); s.textContent = t; grid.append(s); };
  text("");
  stack.heads.forEach((n, h) => text((h ? "" : "head ") + n));
  jobs = [];
  stack.layers.forEach((n, l) => {
    text((l ? "" : "layer ") + n);
    stack.heads.forEach((m, h) => {
      const button = document.createElement("button"), canvas = document.createElement("canvas");
      canvas.style.width = Math.max(6, S * zoom) + "px"; canvas.style.height = Math.max(6, T * zoom) + "px";
      button.type = "button"; button.title = `layer ${n}, head ${m}`; button.setAttribute("aria-label", button.title);
      button.dataset.layer = l; button.dataset.head = h;
      button.addEventListener("click", () => { layer = l; view = "map"; isolate(h); });
      button.append(canvas); grid.append(button);
      jobs.push(() => thumbnail(canvas, l, h, size, $("shared").checked ? stack.most : 0));
    });
  });
  if ($("shared").checked && !stack.most) {
    for (let l = 0; l < L; l++) for (let h = 0; h < H; h++) stack.most = Math.max(stack.most || 0, largest(headWeights(stack, l, h)));
    $("gridmost").textContent = stack.most.toFixed(2);
  }
  // A few at a time, so that the page answers while a large model is drawn.
  (function some() {
    if (run !== gridRun) return;
    const until = performance.now() + 30;
    while (jobs.length && performance.now() < until) jobs.shift()();
    if (jobs.length) setTimeout(some);
  })();
}
// The grid as a picture: numbers of heads on top, of layers on the left.
const gridGap = 6, gridLeft = 56, gridTop = 22;
const gridCell = () => ({w: Math.max(6, stack.S * zoom), h: Math.max(6, stack.T * zoom)});
const gridSize = () => { const {w, h} = gridCell(); return {width: gridLeft + stack.H * (w + gridGap), height: gridTop + stack.L * (h + gridGap)}; };
function paintGrid(g) {
  while (jobs.length) jobs.shift()();
  const {w, h} = gridCell(), x = head => gridLeft + head * (w + gridGap), y = layer => gridTop + layer * (h + gridGap);
  g.imageSmoothingEnabled = false; g.font = font(12); g.fillStyle = css("--soft"); g.textBaseline = "middle";
  g.textAlign = "center"; stack.heads.forEach((n, i) => g.fillText((i ? "" : "head ") + n, x(i) + w / 2, 10));
  g.textAlign = "right"; stack.layers.forEach((n, i) => g.fillText((i ? "" : "layer ") + n, gridLeft - 8, y(i) + h / 2));
  for (const button of $("grid").querySelectorAll("button")) g.drawImage(button.firstChild, x(Number(button.dataset.head)), y(Number(button.dataset.layer)), w, h);
}
$("grid").addEventListener("keydown", e => {
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -stack.H, ArrowDown: stack.H}[e.key], all = [...$("grid").querySelectorAll("button")];
  if (!step) return;
  e.preventDefault();
  all[all.indexOf(document.activeElement) + step]?.focus();
});
$("shared").addEventListener("change", draw);
