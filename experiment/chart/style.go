package chart

// Style has the colours. The palette tells apart for most colour-blind eyes; every other colour is a broken
// line as well.
const Style = `.chart { --paper: #ffffff; --ink: #1c2430; --soft: #5c6675; --rule: #e3e7ec; --ref: #7a8492;
  --c0: #0b66c2; --c1: #d2560a; --c2: #0a8a63; --c3: #a8479b; --c4: #8a6d00; --c5: #2b9cb8; --c6: #b3263a; --c7: #5a57c9;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  .chart { --paper: #151a21; --ink: #e6eaf0; --soft: #9aa5b4; --rule: #2a323d; --ref: #8b96a5;
    --c0: #5aa9f5; --c1: #ff9350; --c2: #3ec79a; --c3: #dd86d2; --c4: #d8b53c; --c5: #62cde6; --c6: #f0727f; --c7: #9d9bf2; } }
.chart .paper { fill: var(--paper); }
.chart text { fill: var(--soft); font-size: 12px; }
.chart .title { fill: var(--ink); font-size: 15px; font-weight: 600; }
.chart .key { fill: var(--ink); }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart .axis { stroke: var(--soft); stroke-width: 1; }
.chart .level { stroke: var(--ref); stroke-width: 1.2; stroke-dasharray: 2 3; }
.chart polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.chart line.mark { stroke-width: 2.5; }
.chart .ref { stroke: var(--ref); stroke-dasharray: 6 4; }
.chart circle.ref, .chart rect.ref { fill: var(--ref); stroke: none; }
.chart .c0 { stroke: var(--c0); } .chart circle.c0, .chart rect.c0 { fill: var(--c0); stroke: none; }
.chart .c1 { stroke: var(--c1); stroke-dasharray: 9 3; } .chart circle.c1, .chart rect.c1 { fill: var(--c1); stroke: none; }
.chart .c2 { stroke: var(--c2); } .chart circle.c2, .chart rect.c2 { fill: var(--c2); stroke: none; }
.chart .c3 { stroke: var(--c3); stroke-dasharray: 9 3; } .chart circle.c3, .chart rect.c3 { fill: var(--c3); stroke: none; }
.chart .c4 { stroke: var(--c4); } .chart circle.c4, .chart rect.c4 { fill: var(--c4); stroke: none; }
.chart .c5 { stroke: var(--c5); stroke-dasharray: 9 3; } .chart circle.c5, .chart rect.c5 { fill: var(--c5); stroke: none; }
.chart .c6 { stroke: var(--c6); } .chart circle.c6, .chart rect.c6 { fill: var(--c6); stroke: none; }
.chart .c7 { stroke: var(--c7); stroke-dasharray: 9 3; } .chart circle.c7, .chart rect.c7 { fill: var(--c7); stroke: none; }
.chart .s1 { opacity: 0.62; } .chart .s2 { opacity: 0.42; } .chart .s3 { opacity: 0.28; }
`
