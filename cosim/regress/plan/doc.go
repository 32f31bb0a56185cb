// Package plan is what a regression has to do, as people write it: plans (YAML: suites of tests, seeds, presets,
// variants, limits, what is selected) and testplans (what has to be shown, by stage and by rule of the protocol, and which
// tests show it; YAML, or the Hjson of dvsim). docs/howto/regress.md is the manual.
//
// The way through: Load (files to Plan, all mistakes at once, each with its place), Plan.Expand (Plan to Cases: every
// execution with its own seed), Plan.Mapped (which tests show which point of the testplan).
//
// A Case is complete: whoever runs it needs neither plan nor checkout, apart from the simulator. Its seed follows from base,
// suite, test, variant and iteration alone (result.Derive). The variant holds the preset, always: a preset that is added
// moves no seed. The device is no part of it: a test has one stimulus, whatever it is run on.
package plan
