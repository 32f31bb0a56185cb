package catalog

import "metaroce/tandem/experiment"

// All are the experiments, in the order in which they are listed and run.
func All() []*experiment.Experiment {
	return []*experiment.Experiment{
		loss(), planes(), failover(), incast(), collectives(), fairness(), across(), storage(), first(), streams(), fabrics(),
	}
}
