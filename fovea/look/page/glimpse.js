// The script of the page of a path, after weights.js: the way of the eye over the picture, step by step.

let current = -1;  // the glimpse that is shown; -1: the whole path
let hover = -1;
const source = new Image();
const shown = () => hover >= 0 ? hover : current;

function drawPath() {
  const scale = Math.min($("box").clientWidth / data.width, Math.max(240, innerHeight * 0.7) / data.height), small = Math.max(data.width, data.height) < 128, by = scale >= 1 && small ? Math.floor(scale) : scale;
  const width = Math.round(data.width * by), height = Math.round(data.height * by), g = prepare($("big"), width, height), one = shown();
  g.imageSmoothingEnabled = !small;
  g.drawImage(source, 0, 0, width, height);
  const last = one < 0 ? data.glimpses.length - 1 : one;
  data.glimpses.forEach(({x, y, sizes}, i) => {
    if (i > last) return;
    sizes.forEach((size, s) => {
      if (s > 0 && one >= 0 && i !== one) return;
      g.strokeStyle = headColor(i); g.lineWidth = s ? 1 : 2; g.globalAlpha = i === one ? 1 : s ? 0.45 : one < 0 ? 1 : 0.5;
      g.strokeRect((x - size / 2) * by, (y - size / 2) * by, size * by, size * by);
    });
  });
  g.globalAlpha = 1;
  for (const [color, line] of [["rgba(0,0,0,.5)", 4], ["#fff", 2]]) {
    g.strokeStyle = color; g.lineWidth = line; g.beginPath();
    for (let i = 0; i <= last; i++) g.lineTo(data.glimpses[i].x * by, data.glimpses[i].y * by);
    g.stroke();
  }
  g.textAlign = "center"; g.textBaseline = "middle"; g.font = "600 " + font(11);
  for (let i = 0; i <= last; i++) {
    const x = Math.min(width, Math.max(0, data.glimpses[i].x * by)), y = Math.min(height, Math.max(0, data.glimpses[i].y * by));
    g.fillStyle = headColor(i); g.strokeStyle = "#fff"; g.lineWidth = 1.5;
    g.beginPath(); g.arc(x, y, 9, 0, 2 * Math.PI); g.fill(); g.stroke();
    g.fillStyle = "#fff"; g.fillText(i + 1, x, y + 0.5);
  }
  $("what").textContent = one < 0 ? `${data.glimpses.length} glimpses` : `glimpse ${one + 1} of ${data.glimpses.length}`;
  $("big").setAttribute("aria-label", `The picture and the path of the eye: ${$("what").textContent}`);
  [...$("seen").querySelectorAll("button")].forEach((button, i) => button.setAttribute("aria-current", i === one));
}
data.glimpses.forEach(({x, y, sizes}, i) => {
  const item = document.createElement("li"), button = document.createElement("button"), number = document.createElement("b"), place = document.createElement("small");
  button.type = "button"; number.textContent = i + 1; number.style.background = headColor(i);
  button.append(number);
  sizes.forEach((size, s) => {
    const image = new Image();
    image.src = data.seen[i][s]; image.alt = `glimpse ${i + 1}, ${Math.round(size)} pixels`; image.title = `${Math.round(size)} × ${Math.round(size)} pixels`;
    button.append(image);
  });
  place.textContent = `${Math.round(x)}, ${Math.round(y)}`;
  button.append(place);
  button.addEventListener("pointerenter", () => { hover = i; drawPath(); });
  button.addEventListener("pointerleave", () => { hover = -1; drawPath(); });
  button.addEventListener("click", () => { current = current === i ? -1 : i; drawPath(); });
  item.append(button);
  $("seen").append(item);
});
addEventListener("keydown", e => {
  const n = data.glimpses.length + 1, step = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || !(step || e.key === "Escape")) return;
  current = step ? (current + 1 + step + n) % n - 1 : -1;
  hover = -1;
  e.preventDefault(); drawPath();
});
$("shape").textContent = `${data.glimpses.length} glimpses, ${data.glimpses[0].sizes.length} scales`;
addEventListener("resize", drawPath);
dark.addEventListener("change", drawPath);
source.onload = drawPath;
source.src = data.picture;
