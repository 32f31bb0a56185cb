// Package experiment is the frame of the experiments: what one is, how its independent simulations are run side by side,
// and how its gates are judged. It knows no transport and no network; those meet in experiment/catalog.
//
//	Experiment --Plan(values)--> Plan: cells, columns, gates, plots
//	                               |  Run: a pool of workers, one simulation a cell
//	                               v
//	                             Result: rows in the order of the cells, verdicts, what failed
//
// Use: take an Experiment from the catalog, read values for its parameters with Params.Read, make a Plan, Run it. What
// becomes of the Result (table, CSV, JSON, page) is in experiment/report.
//
// What holds: a result depends on the plan and the seed only. Each cell draws from a stream named after the experiment
// and the cell, so neither the number of workers nor the presence of other cells moves a figure. Figures are integers or
// decimals with a fixed number of places (Fixed), so there is no NaN and a file is the same to the byte.
//
// Units: a column and a parameter each name theirs. Times inside are picoseconds, bytes are bytes, rates Mb/s, shares of
// something are decimals with four places unless their column says otherwise.
package experiment
