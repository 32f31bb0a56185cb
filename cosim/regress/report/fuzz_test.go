package report

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

// FuzzRead: whatever stands in the files of a run folder, there is a report in every form, or an error.
func FuzzRead(f *testing.F) {
	w := newWorld(f)
	dir := w.some(false)
	list := read(f, dir, Options{}).records
	var text [3][]byte
	for i, name := range []string{run.TestplanFile, coverage.ReportFile, run.HeaderFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(f, err)
		text[i] = b
	}
	f.Add(text[0], text[1], []byte("{}"), text[2], "bugs/ce", "line")
	f.Fuzz(func(t *testing.T, testplan, covered, buckets, header []byte, name, line string) {
		changed := append([]result.Record{}, list...)
		changed[0].Name, changed[len(changed)-1].Line = name, line
		for file, b := range map[string][]byte{run.TestplanFile: testplan, coverage.ReportFile: covered, triage.FileName: buckets, run.HeaderFile: header} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), b, 0o644))
		}
		require.NoError(t, result.WriteFile(filepath.Join(dir, run.ResultsFile), changed))
		if digest, err := result.DigestOf(changed); err == nil { // so that it is not only the digest that is tried
			if f, err := run.Open(dir); err == nil {
				f.Header.Digest = digest
				b, err := json.Marshal(&f.Header)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, run.HeaderFile), b, 0o644))
			}
		}
		r, err := Read(context.Background(), dir, Options{})
		if err != nil {
			return
		}
		for _, x := range Formats() {
			if err := x.write(r, io.Discard); err != nil {
				t.Errorf("%s: %v", x.Name, err)
			}
		}
	})
}
