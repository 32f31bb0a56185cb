package history

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver, in Go alone

	"metaroce/tandem/cosim/regress/result"
)

// FileName of the index, beside the runs.
const FileName = "history.db"

// form of the tables. One of form 1, which had no wall, is brought up to it; what else it may be has to be made again.
const form = 2

// toForm2 takes the time between begin and end: right for every run that went through in one session.
const toForm2 = `ALTER TABLE runs ADD COLUMN wall INTEGER NOT NULL DEFAULT 0; UPDATE runs SET wall = ended - began`

const tables = `
CREATE TABLE IF NOT EXISTS runs (
	number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, plan TEXT NOT NULL, base TEXT NOT NULL, revision TEXT NOT NULL, dirty INTEGER NOT NULL,
	launcher TEXT NOT NULL, workers INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL, state TEXT NOT NULL, verdict TEXT NOT NULL,
	digest TEXT NOT NULL, cases INTEGER NOT NULL, matched INTEGER NOT NULL, events INTEGER NOT NULL, cycles INTEGER NOT NULL,
	wall INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS results (
	run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE, name TEXT NOT NULL, variant TEXT NOT NULL, iteration INTEGER NOT NULL,
	copy INTEGER NOT NULL, seed TEXT NOT NULL, digest TEXT NOT NULL, verdict TEXT NOT NULL, signature TEXT NOT NULL,
	events INTEGER NOT NULL, cycles INTEGER NOT NULL, duration INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS coverage (
	run INTEGER PRIMARY KEY REFERENCES runs(number) ON DELETE CASCADE, bins INTEGER NOT NULL, hit INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_test ON results(name, variant, run);
CREATE INDEX IF NOT EXISTS by_run ON results(run);
`

// Run is one row: a whole regression.
type Run struct {
	ID       string         `json:"id"` // name of its folder
	Plan     string         `json:"plan"`
	Base     result.Seed    `json:"base"`
	Revision string         `json:"revision"` // of the sources
	Dirty    bool           `json:"dirty"`    // there were changes on top of it
	Launcher string         `json:"launcher"`
	Workers  int            `json:"workers"`
	Began    int64          `json:"began_ms"` // Unix time, milliseconds
	Ended    int64          `json:"ended_ms"`
	Wall     int64          `json:"wall_ms"` // of all its sessions together, without what lies between them
	State    string         `json:"state"`   // running, interrupted, done
	Verdict  result.Verdict `json:"verdict"`
	Digest   string         `json:"digest"` // of the results without times
	Cases    int            `json:"cases"`
	Matched  int            `json:"matched"`
	Events   uint64         `json:"events"`
	Cycles   uint64         `json:"cycles"`
}

// Store is the index.
type Store struct{ db *sql.DB }

// Open opens the index at a path, and makes it if there is none.
func Open(path string) (*Store, error) {
	// What a machine that loses power takes with it can be read again: nothing is waited for.
	name := (&url.URL{Path: path}).EscapedPath() // ?, # and % of a path are of the path
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=busy_timeout(20000)&_pragma=foreign_keys(1)&_pragma=synchronous(OFF)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // writers queue up in here, not at the lock of the file
	s := &Store{db}
	if err := s.prepare(); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("%s: %w (it is only an index: remove it, `tandem history rebuild` makes it again)", path, err)
	}
	return s, nil
}

// prepare makes the tables, or brings those of an older form up to this one. It holds the lock: of two that do it, one waits.
// An index of this form is not written to: it may be somebody else's.
func (s *Store) prepare() error {
	var found int
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&found); err != nil || found == form {
		return err
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of nothing, once it is committed
	if err := tx.QueryRow("PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	text := tables
	switch found {
	case 0, form:
	case 1:
		text = toForm2
	default:
		return fmt.Errorf("the index has form %d, this program reads %d", found, form)
	}
	if _, err := tx.Exec(text + fmt.Sprintf("; PRAGMA user_version = %d", form)); err != nil {
		return err
	}
	return tx.Commit()
}

// Close closes the index.
func (s *Store) Close() error { return s.db.Close() }

// Add puts a run in, in place of what was known of it.
func (s *Store) Add(r Run, list []result.Record) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of nothing, once it is committed
	if _, err := tx.Exec("DELETE FROM runs WHERE id = ?", r.ID); err != nil {
		return err
	}
	x, err := tx.Exec("INSERT INTO runs (id, plan, base, revision, dirty, launcher, workers, began, ended, state, verdict, digest, cases, matched, events, cycles, wall) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		r.ID, r.Plan, r.Base.String(), r.Revision, r.Dirty, r.Launcher, r.Workers, r.Began, r.Ended, r.State, string(r.Verdict), r.Digest, r.Cases, r.Matched, int64(r.Events), int64(r.Cycles), r.Wall)
	if err != nil {
		return err
	}
	number, err := x.LastInsertId()
	if err != nil {
		return err
	}
	put, err := tx.Prepare("INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for i := range list {
		if err := insert(put, number, &list[i]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func insert(put *sql.Stmt, run int64, r *result.Record) error {
	duration := int64(0)
	if r.Times != nil {
		duration = r.Times.Duration
	}
	_, err := put.Exec(run, r.Name, r.Variant, r.Iteration, r.Copy, r.Seed.String(), r.Digest, string(r.Verdict), r.Signature.Key(), int64(r.Events), int64(r.Cycles), duration)
	return err
}

// Forget takes a run out.
func (s *Store) Forget(id string) error {
	_, err := s.db.Exec("DELETE FROM runs WHERE id = ?", id)
	return err
}

// Runs lists the latest runs, the latest first; of one plan, or of all where the name is empty.
func (s *Store) Runs(plan string, most int) ([]Run, error) {
	rows, err := s.db.Query(`SELECT id, plan, base, revision, dirty, launcher, workers, began, ended, state, verdict, digest, cases, matched, events, cycles, wall
		FROM runs WHERE ?1 = '' OR plan = ?1 ORDER BY began DESC, number DESC LIMIT ?2`, plan, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Run
	for rows.Next() {
		var r Run
		var base, verdict string
		var events, cycles int64
		err := rows.Scan(&r.ID, &r.Plan, &base, &r.Revision, &r.Dirty, &r.Launcher, &r.Workers, &r.Began, &r.Ended, &r.State, &verdict, &r.Digest, &r.Cases, &r.Matched, &events, &cycles, &r.Wall)
		if err = errors.Join(err, r.Base.UnmarshalText([]byte(base))); err != nil {
			return nil, err
		}
		r.Verdict, r.Events, r.Cycles = result.Verdict(verdict), uint64(events), uint64(cycles)
		list = append(list, r)
	}
	return list, rows.Err()
}
