// The style sheet of the page.

#ifndef ADVISOR_RENDER_HTML_STYLE_H_
#define ADVISOR_RENDER_HTML_STYLE_H_

#include "absl/strings/string_view.h"

namespace advisor {

// The colours of lines are those of Okabe and Ito, told apart by the
// colour-blind; their contrast with both backgrounds is 3 and more.
inline constexpr absl::string_view kHtmlStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #fff; --text: #1b1f24; --quiet: #57606a; --rule: #d8dee4;
  --card: #f6f8fa; --accent: #0b5cad; --good: #18703a; --bad: #b42318;
  --warn: #8a5a00; --band: #8c959f33;
  --s0: #0072b2; --s1: #c8500a; --s2: #00805a; --s3: #a8487f; --s4: #946a00;
  --s5: #3b7dbb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1419; --text: #e3e8ee; --quiet: #9aa7b4; --rule: #2c3640;
    --card: #182028; --accent: #6cb6ff; --good: #56d187; --bad: #ff8b7e;
    --warn: #e5b04a; --band: #9aa7b42e;
    --s0: #56b4e9; --s1: #ff9452; --s2: #35c998; --s3: #e59ac6; --s4: #e8b923;
    --s5: #a3c9f1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  overflow-wrap: break-word;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans",
    sans-serif;
}
main { max-width: 76rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .35rem; }
h2 {
  font-size: 1.2rem; margin: 2.6rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--rule);
}
h3 { font-size: 1rem; margin: 0 0 .15rem; }
p { margin: .4rem 0; max-width: 46rem; }
.quiet, .note, figcaption + p { color: var(--quiet); }
.note { font-size: .85rem; }
.answer {
  background: var(--card); border: 1px solid var(--rule);
  border-left: 5px solid var(--accent); border-radius: 6px;
  padding: .9rem 1rem; margin: 1.1rem 0;
}
.answer > p:first-child { margin-top: 0; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
pre {
  margin: .5rem 0; font-size: .92rem; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.finding {
  border-left: 4px solid var(--rule); padding: .1rem 0 .1rem .9rem;
  margin: 1rem 0; overflow-wrap: anywhere;
}
.finding.warning { border-color: var(--warn); }
.finding.critical { border-color: var(--bad); }
.badge {
  font-size: .75rem; font-weight: 600; letter-spacing: .03em;
  text-transform: uppercase; color: var(--quiet);
}
.warning .badge { color: var(--warn); }
.critical .badge { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; margin: .5rem 0; }
th, td {
  text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--rule);
}
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 500; }
td { font-variant-numeric: tabular-nums; }
.names th { overflow-wrap: anywhere; min-width: 9rem; }
.names .reason { min-width: 14rem; }
.figures {
  display: grid; gap: 1.6rem 2.4rem; margin: .8rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  align-items: start;
}
figure { margin: 0; max-width: 32rem; }
figcaption { font-weight: 600; margin-bottom: .35rem; }
figure > svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--text); }
svg .axis-title { fill: var(--quiet); }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .axis { stroke: var(--quiet); stroke-width: 1.2; }
svg .noise { fill: var(--band); }
.series { fill: none; stroke-width: 2; }
.series polyline { stroke-linejoin: round; }
.series circle { stroke: none; }
.series-0 { stroke: var(--s0); } .series-0 circle { fill: var(--s0); }
.series-1 { stroke: var(--s1); stroke-dasharray: 7 3; }
.series-1 circle { fill: var(--s1); }
.series-2 { stroke: var(--s2); stroke-dasharray: 2 3; }
.series-2 circle { fill: var(--s2); }
.series-3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; }
.series-3 circle { fill: var(--s3); }
.series-4 { stroke: var(--s4); stroke-dasharray: 4 2; }
.series-4 circle { fill: var(--s4); }
.series-5 { stroke: var(--s5); stroke-dasharray: 12 4; }
.series-5 circle { fill: var(--s5); }
.mark { stroke-width: 1.6; }
.mark-default, .mark-claimed { stroke: var(--quiet); stroke-dasharray: 4 3; }
.mark-recommended, .mark-measured { stroke: var(--accent); }
svg text.mark-label {
  font-size: 11px; stroke: var(--page); stroke-width: 4px;
  stroke-dasharray: none; paint-order: stroke; stroke-linejoin: round;
}
svg text.mark-default, svg text.mark-claimed { fill: var(--quiet); }
svg text.mark-recommended, svg text.mark-measured { fill: var(--accent); }
.interval { stroke-width: 2; }
.verdict-faster { stroke: var(--good); fill: var(--good); }
.verdict-slower { stroke: var(--bad); fill: var(--bad); }
.verdict-equivalent { stroke: var(--quiet); fill: var(--quiet); }
.verdict-cannot-tell { stroke: var(--quiet); fill: var(--page); }
.legend {
  list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem;
  margin: .35rem 0; padding: 0; font-size: .88rem;
}
.swatch { width: 28px; height: 10px; vertical-align: middle; }
details { margin: .4rem 0; font-size: .9rem; }
summary { cursor: pointer; color: var(--accent); }
code { white-space: nowrap; font-size: .92em; }
@media (max-width: 38rem) {
  /* A row is a list of its cells, each with its column's name. */
  .names thead { display: none; }
  .names, .names tbody, .names tr, .names th, .names td { display: block; }
  .names tr { border-bottom: 1px solid var(--rule); padding: .35rem 0; }
  .names th, .names td { border: 0; padding: .1rem 0; }
  .names td:empty { display: none; }
  .names td::before { content: attr(data-column) ": "; color: var(--quiet); }
}
footer { margin-top: 3rem; color: var(--quiet); font-size: .88rem; }
)css";

}  // namespace advisor

#endif  // ADVISOR_RENDER_HTML_STYLE_H_
