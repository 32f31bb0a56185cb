// Package source reads the YAML files of regressions (plans, testplans and what else people write) so that every mistake
// is found in one go and each has its file, line and column.
//
// Parse gives a File and its root Value. A Value is asked for what it should be; where it is something else, the mistake is
// noted in the file and a zero comes back, so that reading goes on. File.Err tells all mistakes in the order of the text.
// A key that nobody asks for is a mistake: it is mostly a misspelt one, and silence would turn a wish into nothing.
//
// Scalars are taken as they stand in the text: 0000000000000012 is a seed to a person, an octal number to YAML.
package source
