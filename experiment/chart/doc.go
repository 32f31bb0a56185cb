// Package chart draws lines, bars and traces as SVG that stands alone and can stand inside a page as well. It knows
// nothing of experiments: numbers in, text out, the same bytes for the same numbers.
//
// Colours are classes of a style sheet (Style) with a light and a dark form, so one picture suits both. A series has a
// fixed role, so that our transport and the baseline look the same in every picture. Units: pixels of a drawing 760 wide.
package chart
