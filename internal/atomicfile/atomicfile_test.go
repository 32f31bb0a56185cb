package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// limited lets files grow to so many bytes, as a full disk does: far more than the test framework writes itself. Go's runtime ignores the signal that comes with it.
func limited(t *testing.T, bytes uint64) {
	t.Helper()
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}))
	t.Cleanup(func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)) })
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	require.NoError(t, Write(a, []byte("one")))
	require.NoError(t, os.Chmod(a, 0o750))
	require.NoError(t, Write(a, []byte("two")))
	assert.Equal(t, "two", text(t, a))
	info, err := os.Stat(a)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o750), info.Mode(), "the mode stays")

	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("a", link))
	require.NoError(t, Write(link, []byte("three")))
	assert.Equal(t, "three", text(t, a), "the file behind a link is written")
	to, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "a", to)
	assert.Equal(t, []string{"a", "link"}, names(t, dir), "nothing else is left")
}

// TestWriteToALinkOfNothing: the file that it names is made, and the link stays.
func TestWriteToALinkOfNothing(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("new", link))
	require.NoError(t, Write(link, []byte("one")))
	to, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "new", to)
	assert.Equal(t, "one", text(t, filepath.Join(dir, "new")))
}

// TestWriteToWhatIsOpen: a log that standard output goes to keeps what is in it, and what comes later goes behind.
func TestWriteToWhatIsOpen(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(log)
	require.NoError(t, err)
	defer f.Close()
	for _, dir := range []string{"/dev/fd", "/proc/self/fd"} {
		path := fmt.Sprintf("%s/%d", dir, f.Fd())
		require.NoError(t, Check(path))
		_, err = f.WriteString("before ")
		require.NoError(t, err)
		require.NoError(t, Write(path, []byte("text ")))
		_, err = f.WriteString("after\n")
		require.NoError(t, err)
	}
	assert.Equal(t, "before text after\nbefore text after\n", text(t, log))
	assert.Equal(t, []string{"log"}, names(t, filepath.Dir(log)))
	assert.ErrorContains(t, Write("/dev/fd/100000", nil), "cannot write /dev/fd/100000: bad file descriptor")
	assert.ErrorContains(t, Check("/dev/fd/100000"), "cannot write /dev/fd/100000: bad file descriptor")
}

// TestWriteToADevice: a name that is no file must never be replaced by one.
func TestWriteToADevice(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(pipe)
		got <- string(b)
	}()
	require.NoError(t, Write(pipe, []byte("through")))
	assert.Equal(t, "through", <-got)
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeNamedPipe)
}

// TestWriteFails: the old file is as it was, nothing else is left, and the error says the name that was given.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	require.NoError(t, Write(a, []byte("old")))
	limited(t, 1<<20)
	err := Write(a, make([]byte, 2<<20))
	assert.EqualError(t, err, "cannot write "+a+": file too large")
	assert.Equal(t, "old", text(t, a))
	assert.Equal(t, []string{"a"}, names(t, dir))

	assert.EqualError(t, Write(dir, nil), "cannot write "+dir+": is a directory")
	err = Write(filepath.Join(dir, "none", "x"), nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "cannot write "+filepath.Join(dir, "none", "x")+": no such file or directory")
	assert.EqualError(t, Write(filepath.Join(a, "x"), nil), "cannot write "+filepath.Join(a, "x")+": not a directory")
}

// TestCheck: it says what Write would, and changes nothing.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	require.NoError(t, Write(a, []byte("old")))
	for _, path := range []string{a, filepath.Join(dir, "new"), os.DevNull} {
		assert.NoError(t, Check(path))
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "x"), filepath.Join(a, "x")} {
		assert.Equal(t, Write(path, nil), Check(path), path)
	}
	assert.Equal(t, []string{"a"}, names(t, dir))
	assert.Equal(t, "old", text(t, a))
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "y")
	require.NoError(t, Folder(dir, func(work string) error {
		require.NoError(t, os.Mkdir(filepath.Join(work, "sub"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(work, "sub", "a"), []byte("a"), 0o644))
		return os.WriteFile(filepath.Join(work, "run"), []byte("run"), 0o755)
	}))
	assert.Equal(t, []string{"run", "sub"}, names(t, dir))
	info, err := os.Stat(filepath.Join(dir, "run"))
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o100)

	// what fails in the middle changes nothing, what is there under other names stays
	fails := func(size int) error {
		return Folder(dir, func(work string) error {
			if err := os.WriteFile(filepath.Join(work, "run"), []byte("new"), 0o644); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(work, "big"), make([]byte, size), 0o644)
		})
	}
	limited(t, 1<<20)
	assert.EqualError(t, fails(2<<20), "cannot write "+filepath.Join(dir, "big")+": file too large")
	assert.Equal(t, "run", text(t, filepath.Join(dir, "run")))
	assert.Equal(t, []string{"run", "sub"}, names(t, dir))
	require.NoError(t, fails(10))
	assert.Equal(t, []string{"big", "run", "sub"}, names(t, dir))
}

// TestFolderFails: folders that were made for it are gone again, and other errors come through as they are.
func TestFolderFails(t *testing.T) {
	top := t.TempDir()
	broken := errors.New("broken")
	assert.Equal(t, broken, Folder(filepath.Join(top, "x", "y"), func(string) error { return broken }))
	assert.Empty(t, names(t, top))

	file := filepath.Join(top, "file")
	require.NoError(t, Write(file, nil))
	assert.EqualError(t, Folder(file, func(string) error { return nil }), "cannot write "+file+": not a directory")

	require.NoError(t, os.Mkdir(filepath.Join(top, "taken"), 0o755))
	for _, name := range []string{"taken", "file/below"} { // what comes before it is not moved either
		err := Folder(top, func(work string) error {
			path := filepath.Join(work, name)
			return errors.Join(os.WriteFile(filepath.Join(work, "a"), nil, 0o644), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644))
		})
		why := map[string]string{"taken": "taken: is a directory", "file/below": "file: not a directory"}[name]
		assert.EqualError(t, err, "cannot write "+filepath.Join(top, why))
		assert.Equal(t, []string{"file", "taken"}, names(t, top))
	}
}
