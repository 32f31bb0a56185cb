package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"metaroce/tandem/cosim/regress/result"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Hostname   string          `xml:"hostname,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`

	took int64 // ms
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string      `xml:"name,attr"`
	Classname string      `xml:"classname,attr"`
	Time      string      `xml:"time,attr"`
	Failure   *junitFault `xml:"failure,omitempty"`
	Error     *junitFault `xml:"error,omitempty"`
}

// junitFault is a failure (device and model differ) or an error (nothing is said about the device). Executions that were
// not begun are errors: what readers of JUnit take for skipped passes there, and nothing passes by being absent.
type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test suite for each suite, and a test case for each execution.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: r.Run.ID, Tests: len(r.Tests), Time: seconds(r.Run.Wall)}
	for i := range r.Tests {
		t := &r.Tests[i]
		name, test, _ := strings.Cut(t.Name, "/")
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junitSuite{Name: name, Timestamp: strings.TrimSuffix(strings.Replace(moment(r.Run.Began), " ", "T", 1), " UTC"), Hostname: r.Run.Host,
				Properties: []junitProperty{{"run", r.Run.ID}, {"plan", r.Run.Plan}, {"base seed", r.Run.Base.String()}, {"revision", r.Run.Revision}, {"results", r.Run.Digest}, {"state", r.Run.State}}})
		}
		s := &all.Suites[len(all.Suites)-1]
		c := junitCase{Name: strings.TrimPrefix(t.ID, name+"/"), Classname: name + "." + test, Time: seconds(t.Duration)}
		s.Tests++
		s.took += t.Duration
		s.Time = seconds(s.took)
		switch {
		case t.Verdict == result.Match:
		case t.Verdict == result.Divergence:
			c.Failure = r.fault(t)
			s.Failures++
			all.Failures++
		default:
			c.Error = r.fault(t)
			s.Errors++
			all.Errors++
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(&all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// fault tells of an execution that does not match: how to run it again, what was found, and why.
func (r *Report) fault(t *Test) *junitFault {
	f := &junitFault{Message: oneLine(t.Line), Type: string(t.Verdict)}
	f.Text = strings.Join(r.explain(t), "\n") + "\n"
	return f
}

// explain is what is said of an execution that does not match, in lines; the first is the line that runs it again.
func (r *Report) explain(t *Test) []string {
	var s []string
	if t.Rerun != "" {
		s = append(s, t.Rerun)
	}
	s = append(s, t.Line)
	if t.Folder != "" {
		s = append(s, "folder: "+t.Folder)
	}
	if t.Bucket == 0 {
		return s
	}
	b := &r.Buckets[t.Bucket-1]
	s = append(s, fmt.Sprintf("cause %d of %d, %s: %s", b.Number, len(r.Buckets), plural(b.Count, "execution"), b.Signature.String()))
	if b.Known != nil {
		word := "known until " + string(b.Known.Expires)
		if b.Expired {
			word = "known, expired on " + string(b.Known.Expires)
		}
		s = append(s, fmt.Sprintf("%s: %s, %s", word, b.Known.Issue, b.Known.Why))
	}
	if b.Smallest.ID() == t.ID {
		if b.View != nil {
			s = append(s, b.Why...)
		}
	} else {
		s = append(s, "smallest: "+b.Rerun)
	}
	if b.Shrunk != nil {
		s = append(s, fmt.Sprintf("shrunk to %d events: %s", b.Shrunk.After, b.Shrunk.Again))
	}
	return s
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }

// oneLine is a text on one line, without characters that do something to a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
