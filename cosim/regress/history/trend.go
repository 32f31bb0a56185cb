package history

import "errors"

// Point is one run among the runs of its plan.
type Point struct {
	ID       string `json:"id"`
	Began    int64  `json:"began_ms"`
	Duration int64  `json:"duration_ms"` // of all its sessions
	Revision string `json:"revision,omitempty"`
	Cases    int    `json:"cases"`
	Matched  int    `json:"matched"`
	Flaky    int    `json:"flaky"`          // executions of it that Flakes lists
	Bins     int    `json:"bins,omitempty"` // functional bins; 0: not known
	Hit      int    `json:"hit,omitempty"`
}

// Cover notes how many functional bins a run has filled, of those that are not waived.
func (s *Store) Cover(id string, bins, hit int) error {
	x, err := s.db.Exec("INSERT OR REPLACE INTO coverage (run, bins, hit) SELECT number, ?, ? FROM runs WHERE id = ?", bins, hit, id)
	if err != nil {
		return err
	}
	if n, err := x.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("history: no run "+id))
	}
	return nil
}

// Trend tells of the latest runs of a plan up to one that began then, the latest last. What comes later changes nothing
// of it.
func (s *Store) Trend(plan string, until int64, most int) ([]Point, error) {
	rows, err := s.db.Query(`
		WITH chosen AS (SELECT * FROM runs WHERE plan = ?1 AND began <= ?2 ORDER BY began DESC, number DESC LIMIT ?3),
		ends AS (
			SELECT name, variant, seed, results.digest AS made, revision FROM results JOIN runs ON runs.number = results.run
			WHERE dirty = 0 AND revision <> '' AND began <= ?2 AND results.verdict NOT IN ('skipped', 'lost')
			GROUP BY name, variant, seed, made, revision HAVING COUNT(DISTINCT results.verdict || results.signature) > 1),
		flaky AS (
			SELECT chosen.number AS run, COUNT(*) AS n FROM chosen JOIN results ON results.run = chosen.number
			JOIN ends ON ends.name = results.name AND ends.variant = results.variant AND ends.seed = results.seed AND ends.made = results.digest AND ends.revision = chosen.revision
			WHERE chosen.dirty = 0 GROUP BY chosen.number)
		SELECT id, began, wall, revision, cases, matched, COALESCE(flaky.n, 0), COALESCE(bins, 0), COALESCE(hit, 0)
		FROM chosen LEFT JOIN flaky ON flaky.run = chosen.number LEFT JOIN coverage ON coverage.run = chosen.number
		ORDER BY began, number`, plan, until, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Point
	for rows.Next() {
		var p Point
		if err := rows.Scan(&p.ID, &p.Began, &p.Duration, &p.Revision, &p.Cases, &p.Matched, &p.Flaky, &p.Bins, &p.Hit); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}
