package modeltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
)

func TestScriptMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "has no ----",
		"open":                                  "has no ----",
		"jump\n----":                            `line 1: "jump": want show`,
		"open\npacket\n----":                    "line 2",
		"packet nothing\n----":                  "no packet is called nothing",
		"packet write len=x\n----":              "len=x: want a number",
		"packet write lenn=4\n----":             "no argument lenn",
		"packet write len=4 len=5\n----":        "given twice",
		"command nothing\n----":                 "no command is called nothing",
		"command key_clear rkey=1 conn=2\n----": "no such arguments",
		"show window nothing\n----":             "no engine or boundary is called nothing",
		"# fine\nshow window\n----\n\nwait x\n----": "line 5",
	} {
		_, err := modeltest.RunScript([]byte(text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestScriptRewrites(t *testing.T) {
	out, err := modeltest.RunScript([]byte("show window\nopen\npacket flush\n----\nwhatever was here\n\n# again\npacket flush\n----\n"))
	require.NoError(t, err)
	again, err := modeltest.RunScript(out)
	require.NoError(t, err)
	require.Equal(t, string(out), string(again))
	require.Contains(t, string(out), "window.flush x1 c0 p0: class=flush ack_now=1\n\n# again\n")
	require.NotContains(t, string(out), "whatever")
}

func TestCommandMistakes(t *testing.T) {
	_, err := modeltest.Command(event.CommandNone, nil)
	require.Error(t, err)
}
