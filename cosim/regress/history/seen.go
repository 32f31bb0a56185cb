package history

import "metaroce/tandem/cosim/regress/result"

// Seen is in which runs a cause was met.
type Seen struct {
	Runs        int
	First, Last string // names of runs
}

// Seen tells since when failures of a verdict and a signature are there.
func (s *Store) Seen(v result.Verdict, sig *result.Signature) (x Seen, err error) {
	const with = `FROM runs WHERE number IN (SELECT run FROM results WHERE verdict = ?1 AND signature = ?2)`
	err = s.db.QueryRow(`SELECT COUNT(*), COALESCE((SELECT id `+with+` ORDER BY began, number LIMIT 1), ''),
		COALESCE((SELECT id `+with+` ORDER BY began DESC, number DESC LIMIT 1), '') `+with, string(v), sig.Key()).Scan(&x.Runs, &x.First, &x.Last)
	return x, err
}
