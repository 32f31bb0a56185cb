package history

import (
	"metaroce/tandem/cosim/regress/result"
)

// Past is what is known of a test, over all its executions.
type Past struct {
	Digest string // of the test when it ran last
	// Failed are the seeds that did not match in its latest run.
	Failed   map[result.Seed]bool
	Duration int64 // mean of an execution in its latest runs, milliseconds
}

// pastRuns is over how many runs durations are meant.
const pastRuns = 10

// Past tells of every test by its full name. Executions that were not begun, or were lost, say nothing of a test.
func (s *Store) Past() (map[string]*Past, error) {
	past := map[string]*Past{}
	rows, err := s.db.Query(`
		WITH told AS (SELECT * FROM results WHERE verdict NOT IN ('skipped', 'lost')),
		ranked AS (SELECT DISTINCT name, variant, run, DENSE_RANK() OVER (PARTITION BY name, variant ORDER BY run DESC) AS age FROM told)
		SELECT told.name, told.variant, AVG(told.duration), MAX(CASE WHEN ranked.age = 1 THEN told.digest ELSE '' END)
		FROM told JOIN ranked USING (name, variant, run) WHERE ranked.age <= ? GROUP BY told.name, told.variant`, pastRuns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, variant string
		var mean float64
		p := &Past{Failed: map[result.Seed]bool{}}
		if err := rows.Scan(&name, &variant, &mean, &p.Digest); err != nil {
			return nil, err
		}
		p.Duration = int64(mean)
		past[result.FullName(name, variant)] = p
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return past, s.failures(past)
}

// failures fills what failed in the latest run of each test.
func (s *Store) failures(past map[string]*Past) error {
	rows, err := s.db.Query(`
		WITH told AS (SELECT * FROM results WHERE verdict NOT IN ('skipped', 'lost')),
		latest AS (SELECT name, variant, MAX(run) AS run FROM told GROUP BY name, variant)
		SELECT told.name, told.variant, told.seed FROM told JOIN latest USING (name, variant, run) WHERE told.verdict <> 'match'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, variant, text string
		if err := rows.Scan(&name, &variant, &text); err != nil {
			return err
		}
		var seed result.Seed
		if err := seed.UnmarshalText([]byte(text)); err != nil {
			return err
		}
		if p := past[result.FullName(name, variant)]; p != nil {
			p.Failed[seed] = true
		}
	}
	return rows.Err()
}

// Flake is an execution that did not always come to the same, though nothing it is made of had changed.
type Flake struct {
	Test     string      `json:"test"` // full name
	Seed     result.Seed `json:"seed"`
	Revision string      `json:"revision"`
	Times    int         `json:"times"` // it was run
	Matched  int         `json:"matched"`
	Verdicts int         `json:"ends"` // different ones, signatures included
}

// Flakes lists executions of one test, seed, definition and clean revision of the sources that came to different ends.
func (s *Store) Flakes() ([]Flake, error) {
	rows, err := s.db.Query(`
		SELECT results.name, results.variant, results.seed, runs.revision, COUNT(*), SUM(results.verdict = 'match'), COUNT(DISTINCT results.verdict || results.signature) AS ends
		FROM results JOIN runs ON runs.number = results.run
		WHERE runs.dirty = 0 AND runs.revision <> '' AND results.verdict NOT IN ('skipped', 'lost')
		GROUP BY results.name, results.variant, results.seed, results.digest, runs.revision
		HAVING ends > 1 ORDER BY 1, 2, 3, 4`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Flake
	for rows.Next() {
		var f Flake
		var name, variant, seed string
		if err := rows.Scan(&name, &variant, &seed, &f.Revision, &f.Times, &f.Matched, &f.Verdicts); err != nil {
			return nil, err
		}
		if err := f.Seed.UnmarshalText([]byte(seed)); err != nil {
			return nil, err
		}
		f.Test = result.FullName(name, variant)
		list = append(list, f)
	}
	return list, rows.Err()
}

// Rate is how often a test matched.
type Rate struct {
	Test     string `json:"test"`
	Times    int    `json:"times"`
	Matched  int    `json:"matched"`
	Duration int64  `json:"mean_ms"` // mean, milliseconds
}

// Rates lists the rates of every test over the latest runs of a plan (empty: of all plans), the worst first.
func (s *Store) Rates(plan string, runs int) ([]Rate, error) {
	rows, err := s.db.Query(`
		WITH chosen AS (SELECT number FROM runs WHERE ?1 = '' OR plan = ?1 ORDER BY began DESC, number DESC LIMIT ?2)
		SELECT name, variant, COUNT(*), SUM(verdict = 'match'), AVG(duration) FROM results
		WHERE run IN chosen AND verdict NOT IN ('skipped', 'lost') GROUP BY name, variant
		ORDER BY 1.0 * SUM(verdict = 'match') / COUNT(*), name, variant`, plan, runs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Rate
	for rows.Next() {
		var r Rate
		var name, variant string
		var mean float64
		if err := rows.Scan(&name, &variant, &r.Times, &r.Matched, &mean); err != nil {
			return nil, err
		}
		r.Test, r.Duration = result.FullName(name, variant), int64(mean)
		list = append(list, r)
	}
	return list, rows.Err()
}
