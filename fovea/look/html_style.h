// How the page looks, in light and dark.
#pragma once

#include <string_view>

namespace fovea::look {

// clang-format off
inline constexpr std::string_view kPageStyle = R"html(
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1b2733; --soft: #5b6875; --line: #e1e4e8;
  --accent: #2b6cb0; --pin: #e8590c; --hidden: #f1f0ee; --hatch: #d3d0ca; --bar: #498ada; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151b; --card: #171e26; --ink: #e6ebf0; --soft: #94a1ad; --line: #2a343f;
    --accent: #8fc0fe; --pin: #ff922b; --hidden: #1b2129; --hatch: #313a44; --bar: #76b2fe; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; padding: 20px 24px; background: var(--page); color: var(--ink);
  font: 14px/1.4 system-ui, "Noto Sans", "Noto Sans CJK KR", "DejaVu Sans", NanumGothic, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 20px; margin-bottom: 14px; }
h1 { font-size: 19px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 13px; font-weight: 600; margin: 0 0 8px; color: var(--soft); }
#shape { color: var(--soft); }
button { font: inherit; color: inherit; cursor: pointer; }
:is(button, #heat, #links):focus-visible { outline: 2px solid var(--pin); outline-offset: 2px; }
nav { display: grid; grid-template-columns: max-content 1fr; gap: 8px 14px; align-items: center; margin-bottom: 16px; }
nav > span { color: var(--soft); font-size: 12px; text-align: right; }
.choices { display: flex; flex-wrap: wrap; gap: 4px; }
.choices button { min-width: 30px; padding: 3px 11px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); }
.choices button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--card); }
#heads button { min-width: 34px; border-radius: 6px; padding: 3px 8px; border: 2px solid var(--color); font-variant-numeric: tabular-nums; }
#heads button[aria-pressed=true] { background: var(--color); border-color: var(--color); color: #fff; }
#heads button[aria-pressed=false] { opacity: .55; }
#heads button.all { border: 1px solid var(--line); background: var(--card); color: var(--ink); border-radius: 14px; padding: 4px 11px; margin-left: 6px; opacity: 1; }
main { display: flex; gap: 16px; align-items: flex-start; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px; min-width: 0; }
.scroll { overflow: auto; max-width: 100%; max-height: 84vh; }
canvas { display: block; }
#heat { display: grid; grid-template-columns: auto auto; width: max-content; }
#corner, #columns, #rows { position: sticky; background: var(--card); }
#corner { left: 0; top: 0; z-index: 3; } #columns { top: 0; z-index: 2; } #rows { left: 0; z-index: 1; }
#cells, #links { cursor: crosshair; }
#grid { display: grid; gap: 6px; width: max-content; align-items: center; justify-items: center; }
#grid button { padding: 0; border: 0; background: none; line-height: 0; border-radius: 2px; }
#grid button:hover, #grid button[aria-current=true] { outline: 2px solid var(--accent); outline-offset: 1px; }
#grid canvas { image-rendering: pixelated; }
#grid span { color: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
#side { flex: 0 0 300px; position: sticky; top: 14px; max-height: 97vh; overflow: auto; }
@media (max-width: 760px) { main { flex-direction: column; } #side { flex-basis: auto; width: 100%; position: static; } }
#tip { position: fixed; z-index: 9; padding: 3px 8px; border-radius: 5px; background: var(--ink); color: var(--card); pointer-events: none;
  max-width: 60vw; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#said { min-height: 2.8em; margin: 0 0 8px; overflow-wrap: anywhere; }
#said b { font-variant-numeric: tabular-nums; }
#bars { list-style: none; margin: 0; padding: 0; }
#bars li { display: grid; grid-template-columns: 104px 1fr 44px; gap: 8px; align-items: center; padding: 1px 0; }
#bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
#bars .track { display: flex; }
#bars .bar { height: 12px; background: var(--bar); }
#bars .bar:first-child { border-radius: 2px 0 0 2px; min-width: 1px; } #bars .bar:last-child { border-radius: 0 2px 2px 0; }
#bars .number { font-variant-numeric: tabular-nums; color: var(--soft); }
#bars .hidden { opacity: .5; } #bars .chosen .name { color: var(--pin); font-weight: 600; }
.key { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-top: 10px; color: var(--soft); font-size: 12px; }
.ramp { width: 140px; height: 10px; border-radius: 2px; }
.swatch { width: 12px; height: 12px; margin-left: 10px; background: repeating-linear-gradient(45deg, var(--hatch) 0 1.5px, var(--hidden) 1.5px 5px); }
.ring { width: 11px; height: 11px; margin-left: 10px; border: 2px solid var(--pin); }
.help { color: var(--soft); font-size: 12px; margin: 10px 0 0; max-width: 70ch; }
)html";
// clang-format on

}  // namespace fovea::look
