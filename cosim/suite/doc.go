// Package suite runs many stimuli one after the other or side by side: each through a session, its events through an
// observer (what the traffic meant, what the scenario expects) and through the functional bins, and all of it into one
// report with one verdict. The commands choose the jobs and print.
package suite
