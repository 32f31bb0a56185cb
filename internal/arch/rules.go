package arch

// Module is the module path: imports that start with it are the project's own.
const Module = "metaroce/tandem"

// allowed says what the packages that match a pattern may import of the project. A pattern is a path below the
// module; a last element `...` stands for the package itself and all below it. The first row that matches counts.
type allowed struct {
	pattern string
	may     []string
	why     string
}

// common is what every block of the model may know: the codec, the records, the sizes, and how a step counts time.
var common = []string{"model/event", "model/preset", "model/sim", "model/wire"}

// shared is what any package may import, but for those of the model, which know no files.
var shared = []string{"internal/atomicfile", "internal/glob"}

// layers is the order of the project, leaves first. A package that no row matches is an error: put it in its place.
var layers = []allowed{
	{"model/spec", nil, "the one definition: the generators read it, nothing runs on it"},
	{"model/preset", nil, "generated sizes: a leaf, so that anybody may know them"},
	{"model/sim", nil, "time and seeded numbers, no protocol"},
	{"model/wire", []string{"model/preset", "model/sim"}, "codec: knows sizes, no records"},
	{"model/event", []string{"model/preset", "model/sim", "model/wire"}, "records: the language of all targets"},
	{"model/workload", []string{"model/sim"}, "messages and who waits for whom: no transport, no network"},
	{"model/cluster", []string{"model/fabric", "model/sim", "model/workload"}, "runs any transport: knows none"},
	{"model/endpoint", append([]string{"model/admit", "model/window", "model/key", "model/recv", "model/message", "model/place",
		"model/complete", "model/coalesce", "model/ack", "model/share", "model/streamsched", "model/pathchoice", "model/xmit",
		"model/ackrecv", "model/losswalk", "model/cc", "model/pathtimer", "model/slot"}, common...), "the whole NIC: where the blocks of both directions meet, without cycles"},
	{"model/pipe/nic", append([]string{"model/endpoint"}, common...), "order and time over endpoint, which has the values"},
	{"model/cluster/metaroce", []string{"model/cluster", "model/endpoint", "model/fabric", "model/key", "model/pathchoice", "model/pipe/nic", "model/preset",
		"model/sim", "model/wire", "model/workload", "model/xmit"}, "NICs on a network; key: permissions, pathchoice: policies, xmit: one store of records for all NICs"},
	{"model/verbs", append([]string{"model/endpoint", "model/key", "model/pathtimer"}, common...), "the API over a NIC; key: permissions, pathtimer: states of a path"},
	{"model/verbs/lab", append([]string{"model/endpoint"}, common...), "a channel for any NIC: knows what it is called by, not what is above it"},
	{"model/rocev2", []string{"model/cluster", "model/fabric", "model/sim", "model/workload"}, "a transport of its own: shares nothing with what it is held against"},
	{"model/conn", append([]string{"model/admit", "model/window", "model/key", "model/recv", "model/message", "model/place",
		"model/complete", "model/coalesce", "model/ack"}, common...), "the only place where blocks meet"},
	{"model/pipe", append([]string{"model/conn", "model/admit"}, common...), "order and time over conn, which has the values; admit: parsing gives a descriptor"},
	{"model/modeltest", append([]string{"model", "model/conn", "model/pipe", "nic/layers"}, common...), "harness of tests: only tests import it"},
	{"model", append([]string{"model/conn", "model/pipe"}, common...), "sizes and the way in; values and time are below"},
	{"model/fabric", []string{"model/sim"}, "the network around NICs: sizes and entropy, no protocol"},
	{"model/...", common, "blocks: never each other, they meet in conn"},

	{"vectors/stimulus", nil, "flat list of what reaches a device: a leaf that targets and scenarios share"},
	{"vectors/expect", append([]string{"vectors/stimulus"}, common...), "what must be seen: knows records, neither packets nor texts"},
	{"vectors/block", append([]string{"vectors/mrv", "model/admit", "model/window", "model/key", "model/recv", "model/message", "model/place",
		"model/complete", "model/coalesce", "model/ack"}, common...), "step vectors come from the steps themselves"},
	{"vectors/...", append([]string{"vectors/...", "nic/layers"}, common...), "vectors describe traffic and expectations; they run nothing"},

	{"cosim/target", append([]string{"vectors/stimulus"}, common...), "contract: knows neither lockstep nor simulators"},
	{"cosim/journal", append([]string{"cosim/target", "vectors/stimulus"}, common...), "form of recordings: bridge, targets and sessions share it"},
	{"cosim/bridge/...", append([]string{"cosim/bridge/...", "cosim/journal", "cosim/target", "vectors/stimulus"}, common...), "the socket: carries records, does not read them"},
	{"cosim/modeltarget", append([]string{"cosim/journal", "cosim/target", "vectors/stimulus", "model", "model/conn", "model/pipe"}, common...), "the one target that contains the model"},
	{"cosim/lockstep", append([]string{"cosim/target", "vectors/stimulus", "model", "model/conn"}, common...), "the reference is the model, told; no particular device"},
	{"cosim/regress/report", append([]string{"cosim/...", "experiment/chart"}, common...), "what a run came to, told of its folder: runs nothing; chart: pictures"},
	{"cosim/regress/...", append([]string{"cosim/...", "vectors/..."}, common...), "regressions: tests come from the vectors, each is run by a suite"},
	{"cosim/suite", append([]string{"cosim/...", "vectors/..."}, common...), "many runs: what is to be run comes from the vectors, each run from a session"},
	{"cosim/bench/...", append([]string{"cosim/...", "vectors/...", "model/conn"}, common...), "measured runs bring their own traffic; conn: the cost of the reference alone is measured"},
	{"cosim/vector/...", append([]string{"cosim/...", "vectors/...", "nic/capture", "model/admit", "model/conn", "model/pipe"}, common...),
		"runs vectors: on the model without time, in cycles, and on RTL; the model says what must be seen"},
	{"cosim/divergence", append([]string{"cosim/...", "vectors/stimulus", "nic/show"}, common...), "what a recording tells of a failure; show: the bytes of its frame in words"},
	{"cosim/cover", common, "bins are counted from records of any target"},
	{"cosim/pair", append([]string{"cosim/cover", "model/endpoint", "model/verbs/lab"}, common...), "whole NICs of the model among themselves: no device, no lockstep"},
	{"cosim/mutate/...", append([]string{"cosim/...", "vectors/..."}, common...), "mutants are graded by the golden vectors and by lockstep"},
	{"cosim/session", append([]string{"cosim/...", "vectors/stimulus", "model/conn"}, common...), "one run of a target; conn: the cost of the reference alone is measured"},
	{"cosim/...", append([]string{"cosim/...", "vectors/stimulus"}, common...), "targets and runs; the model comes in through modeltarget and lockstep"},

	{"nic/...", append([]string{"nic/...", "cosim/target", "vectors/stimulus"}, common...), "real devices and captures: the contract and the codec, never the model"},

	{"experiment/chart", nil, "numbers in, pictures out"},
	{"experiment/report", []string{"experiment", "experiment/chart"}, "made of results only, so that equal runs give equal files"},
	{"experiment/catalog", []string{"experiment", "model/..."}, "the one place where claims, networks and transports meet"},
	{"experiment/speed", []string{"model/..."}, "whole runs against a bare event loop"},
	{"experiment", []string{"model/sim"}, "frame: knows neither network nor transport"},

	{"internal/arch", nil, "rules on the others"},
	{"internal/atomicfile", nil, "files that are whole or as they were: a leaf, so that anybody may write so"},
	{"internal/glob", nil, "files of a folder by a pattern: a leaf, so that anybody may list so"},
	{"internal/hugepages", nil, "a wish to the system before large simulations; the model asks for nothing"},
	{"scripts/...", nil, "tools of the checks: no part of the product"},
	{"cmd/wiregen/...", []string{"cmd/wiregen/...", "model/spec"}, "writes generated code, so it must not need any"},
	{"cmd/...", []string{"..."}, "commands put everything together; nothing imports them"},
}

// testExtra is what tests may import beside the rows above.
var testExtra = []allowed{
	{"model/...", []string{"model/...", "nic/layers"}, "slow twins, and frames built by the other codec"},
	{"vectors/...", []string{"model/...", "nic/...", "cosim/target", "vectors/..."}, "vectors are held against the model"},
	{"cosim/...", []string{"..."}, "runs from one end to the other"},
	{"nic/...", []string{"model/...", "vectors/...", "cosim/..."}, "frames are held against the golden files"},
	{"experiment/...", []string{"experiment/...", "model/..."}, "runs from one end to the other"},
	{"cmd/...", []string{"..."}, "commands"},
}

// third is where a package of others may be imported, and why not everywhere. Patterns as above; an import matches a
// row when it is that path or below it. Imports of others that no row names are an error: docs/dependencies.md first.
type third struct {
	path    string
	in      []string // production code
	inTests []string
	why     string
}

var thirds = []third{
	{"github.com/google/gopacket", []string{"nic/...", "vectors/...", "cmd/..."}, []string{"nic/...", "vectors/...", "cmd/...", "cosim/..."},
		"packets of others end at the edge; the model has its own codec"},
	{"google.golang.org/protobuf", []string{"cosim/bridge/...", "vectors/mrv/..."}, []string{"cosim/bridge/...", "vectors/mrv/..."},
		"records are fixed bytes: a protobuf record costs a hundred times as much; vector files are read by others too"},
	{"github.com/klauspost/compress", []string{"vectors/mrv"}, []string{"vectors/mrv"}, "vector files are zstd; nothing else is compressed"},
	{"github.com/spf13/cobra", []string{"cmd/..."}, []string{"cmd/..."}, "flags end in cmd"},
	{"github.com/spf13/pflag", []string{"cmd/..."}, []string{"cmd/..."}, "cobra's flags"},
	{"github.com/rogpeppe/go-internal", nil, []string{"cmd/..."}, "testscript plays the user"},
	{"github.com/stretchr/testify", nil, []string{"..."}, "tests only"},
	{"pgregory.net/rapid", nil, []string{"..."}, "tests only"},
	{"github.com/vbauerster/mpb", []string{"cmd/..."}, []string{"cmd/..."}, "progress is drawn where there is a terminal"},
	{"github.com/goccy/go-yaml", []string{"cosim/regress/..."}, []string{"cosim/regress/..."}, "text that people write ends in the packages that read plans"},
	{"github.com/go-air/gini", []string{"cosim/mutate/circuit"}, nil, "gates and the SAT solver of proofs about mutants"},
	{"github.com/hjson/hjson-go", []string{"cosim/regress/plan"}, nil, "testplans of other tools are read where plans are"},
	{"modernc.org/sqlite", []string{"cosim/regress/history"}, []string{"cosim/regress/history"}, "an index that can be thrown away; results are files"},
	{"github.com/chromedp", nil, []string{"cosim/regress/report"}, "a browser is for the test of the page"},
	{"git.sr.ht/~sbinet/gg", []string{"experiment/chart"}, nil, "pixels are for pictures"},
	{"golang.org/x/image", []string{"experiment/chart"}, nil, "letters of pictures"},
	{"golang.org/x/term", []string{"cmd/..."}, []string{"cmd/..."}, "is it a terminal"},
}

// modelForbidden are the standard packages that production code under model/ must not import: a run has to be the
// same on every machine, at any speed, under any scheduler. A path covers all below it.
var modelForbidden = []struct{ path, why string }{
	{"time", "time is an argument, in cycles"},
	{"os", "no files, no environment"},
	{"io/ioutil", "no files"},
	{"net", "no sockets"},
	{"sync", "one goroutine"},
	{"context", "nothing to wait for"},
	{"math/rand", "random numbers come from sim, seeded and named"},
	{"crypto/rand", "random numbers come from sim, seeded and named"},
	{"log", "what happened is a record"},
	{"syscall", "no operating system"},
	{"unsafe", "records are encoded, not overlaid"},
	{"runtime", "no scheduler, no collector"},
	{"math", "floating point; math/bits and math/big are other packages"},
}

// modelStdExact are paths of modelForbidden that do not cover what is below them.
var modelStdExact = map[string]bool{"math": true}
