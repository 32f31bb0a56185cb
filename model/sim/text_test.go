package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
)

func TestPicosText(t *testing.T) {
	for text, want := range map[string]sim.Picos{
		"0": 0, "1ps": 1, "999ps": 999, "1ns": 1000, "83.92ns": 83920, "1.5us": 1_500_000, "10us": 10_000_000, "2.000000001ms": 2_000_000_001, "1s": 1e12,
	} {
		require.Equal(t, text, want.String())
		got, err := sim.ParsePicos(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestPicosOtherWaysToWrite(t *testing.T) {
	for text, want := range map[string]sim.Picos{"0us": 0, "0.5us": 500_000, "1.50us": 1_500_000, "1500ns": 1_500_000, "007ps": 7, "1.0ps": 1} {
		got, err := sim.ParsePicos(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestPicosRefused(t *testing.T) {
	for text, problem := range map[string]string{
		"":                      "no unit",
		"5":                     "no unit",
		"us":                    "no decimal number",
		".5us":                  "no decimal number",
		"5.us":                  "no decimal number",
		"-5us":                  "no decimal number",
		"1e3us":                 "no decimal number",
		"1.2.3us":               "no decimal number",
		"5 us":                  "no decimal number",
		"5min":                  "no unit",
		"5mus":                  "no unit of time",
		"5uss":                  "no unit of time",
		"1.5ps":                 "no whole number",
		"1.0001ns":              "no whole number",
		"99999999999999999999s": "longer than 64 bits",
		"18446745s":             "longer than 64 bits",
	} {
		_, err := sim.ParsePicos(text)
		require.ErrorContains(t, err, problem, text)
	}
}

// TestPicosRoundTrip: what is written is read back, whatever the time.
func TestPicosRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := sim.Picos(rapid.Uint64().Draw(t, "v"))
		got, err := sim.ParsePicos(v.String())
		require.NoError(t, err)
		require.Equal(t, v, got)
	})
}

func FuzzParsePicos(f *testing.F) {
	for _, text := range []string{"0", "1.5us", "10ms", ".s", "1.", "99999999999999999999ps"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := sim.ParsePicos(text)
		if err != nil {
			return
		}
		again, err := sim.ParsePicos(v.String())
		require.NoError(t, err)
		require.Equal(t, v, again)
	})
}
