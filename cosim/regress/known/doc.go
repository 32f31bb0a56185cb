// Package known reads the list of failures that are known: what they look like, where they are followed up, and the last
// day on which they may still be there. docs/howto/regress.md is the manual.
//
// An entry excuses nothing by itself: package triage counts what it matches apart, and whoever runs a regression says
// whether known failures are accepted. What has no result (lost, skipped) is never known.
//
// Units: days of UTC, as 2026-12-31.
package known
