package shrink

import (
	"slices"

	"metaroce/tandem/vectors/scenario"
)

// variants are ways to write a tail of a stimulus: as it was; with packets that follow each other, in number and in time,
// so that what is left out later leaves no hole; and with a bench that holds up every port besides, which brings back
// queues that took thousands of packets to fill. A tail can be short as one of them and long as another.
func variants(list lines) []lines {
	dense := drop(list, func(x spot) bool { return slices.Contains(loose, x.name) })
	return []lines{list, dense, slices.Concat(pressure, dense)}
}

// loose is what packets say of their place in the order of a path, and of time.
var loose = []string{gapKey, "psn", "tsn", "epoch", "time", "sport"}

// pressure holds up every port on which the device can be held up, now and then for as long as a queue takes to fill.
var pressure = lines{stall("memory"), stall("completion"), stall("ack")}

func stall(port string) *scenario.Stmt {
	return &scenario.Stmt{Word: "stall", Args: []*scenario.Arg{{Val: port}, {Key: "permille", Op: "=", Val: "100"}, {Key: "run", Op: "=", Val: "200"}}}
}
