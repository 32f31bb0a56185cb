// Package report tells what a regression came to: one model of a run (Report), and several forms of it.
//
//	r, err := report.Read(ctx, RUN, report.Options{})   everything that the run folder says, checked
//	names, err := r.Write(dir, report.Formats())        the files below, each in one step
//
//	report.html    a page that needs no other file and no network
//	report.md      the same, shorter, for a merge request or a mail
//	junit.xml      a test case for each execution; the text of a failure begins with the line that runs it again
//	report.json    the Report
//	report.tap     TAP version 14
//
// A report depends on the results alone: equal results give equal files, times apart. What the folder does not hold is
// named in Report.Absent, in every form. A folder without results, or with results that are not those its header tells of,
// is refused: a report of half a run would pass for one of the whole.
//
// Compare holds one run against an older one. Units: milliseconds, device cycles, events as lockstep counts them.
package report
