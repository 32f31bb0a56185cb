package session

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,][A-Za-z0-9_./:=@%+,-]*$`)

// ShellWord writes a word so that a shell reads it back as it is, and a command not as a flag: lines that repeat a run
// are there to be pasted.
func ShellWord(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s // only names of files can begin like that
	}
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
