// Package chart draws lines, bars and traces, as SVG that stands alone and can stand inside a page as well, and as PNG. It
// knows nothing of experiments: numbers in, bytes out, the same for the same numbers.
//
// What is drawn where is said once (Chart.draw), onto paper that is text or pixels, and what it looks like once (looks).
// In SVG colours are classes of a style sheet (Style) with a light and a dark form, so one picture suits both, and points
// and bars show their number to the mouse; that is why a library that draws to SVG by itself was not taken. A series has a
// fixed role, so that our transport and the baseline look the same in every picture. Units: pixels of a drawing 760 wide.
package chart
