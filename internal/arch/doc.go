// Package arch holds the rules on who may import whom and what may stand in the source of the model. Its tests apply
// them to this module, and to sources with a planted fault each, so that a rule which no longer bites is noticed.
//
// The rules are three: imports (rules.go: an allow list, each row with its reason), the model's source
// (source.go: no goroutines, no floating point, nothing printed), and documents (every package has a doc.go).
package arch
