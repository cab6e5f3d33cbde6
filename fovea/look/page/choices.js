// The part of a page's script that makes its rows of buttons.

// A row of buttons in the bar: [text, pressed, click] each.
function choices(name, id, items) {
  const label = document.createElement("span"), box = document.createElement("div");
  label.textContent = name; box.className = "choices"; box.id = id; box.setAttribute("role", "group"); box.setAttribute("aria-label", name);
  for (const [text, pressed, click] of items) {
    const button = document.createElement("button");
    button.type = "button"; button.textContent = text; button.setAttribute("aria-pressed", pressed);
    button.addEventListener("click", click);
    box.append(button);
  }
  $("bar").append(label, box);
  return box;
}
