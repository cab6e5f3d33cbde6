// The frame of the page that to_html fills: @TITLE@, @STYLE@, @TITLE@, @DATA@, @SCRIPT@.
#pragma once

#include <string_view>

namespace fovea::look {

// clang-format off
inline constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>@STYLE@</style>
</head>
<body>
<header><h1>@TITLE@</h1><span id="shape"></span></header>
<nav id="bar"></nav>
<main>
<section id="headsview" hidden><h2 id="linkstitle"></h2>
<div class="scroll" id="linksbox"><canvas id="links" tabindex="0" role="application" aria-label="Links between tokens; up and down move, left and right change the side, Enter pins a token"></canvas></div><p class="help" id="linksnote"></p></section>
<section id="modelview" hidden><h2 id="gridtitle"></h2>
<div class="scroll"><div id="grid"></div></div>
<div class="key"><span>0</span><span class="ramp"></span><span id="gridmost"></span><label><input type="checkbox" id="shared"> the same colours in all heads</label></div></section>
<section id="mapview" hidden><h2 id="axes"></h2>
<div class="scroll" id="box"><div id="heat" tabindex="0" role="application" aria-label="Heat map of attention weights; arrow keys move, Enter pins a row"><div id="corner"></div><canvas id="columns"></canvas><canvas id="rows"></canvas><canvas id="cells"></canvas></div></div>
<div class="key"><span>0</span><span class="ramp"></span><span id="most"></span><span class="swatch" id="hatch"></span><span id="hatchname">hidden</span><span class="ring" id="ring"></span><span id="ringname">chosen</span></div>
</section>
<section id="side"><h2 id="rowtitle">One row</h2><p id="said" aria-live="polite"></p><ul id="bars"></ul>
<p class="help" id="help"></p></section>
</main>
<p class="help" id="exact"></p>
<div id="tip" hidden></div>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
@SCRIPT@
</script>
</body>
</html>
)html";
// clang-format on

}  // namespace fovea::look
