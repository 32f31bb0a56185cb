// Package scenarios carries the written scenarios inside the binary, so that `tandem run NAME` and `tandem run --all`
// need no checkout. docs/scenarios.md is the manual of the language.
package scenarios
