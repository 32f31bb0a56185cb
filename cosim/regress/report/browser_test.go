//go:build browser

package report

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/result"
)

var shots = flag.String("shots", "", "directory for pictures of the page, to be looked at")

// tab is a page in a browser that has no network.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // errors on the console, exceptions
	requests []string
}

// chromium is one browser for all tests; it ends with them.
var chromium = sync.OnceValue(func() context.Context {
	ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox)...)
	atEnd = append(atEnd, stop)
	ctx, stop = chromedp.NewContext(ctx)
	atEnd = append(atEnd, stop)
	if err := chromedp.Do(ctx); err != nil {
		panic(err)
	}
	return ctx
})

// openPage writes a report's page and opens it.
func openPage(t testing.TB, dir string) *tab {
	t.Helper()
	r := read(t, dir, Options{})
	names, err := r.Write(dir, Formats()[:1])
	require.NoError(t, err)
	ctx, stop := chromedp.NewContext(chromium()) // a tab
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute) // a browser that hangs
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	b.do(chromedp.Navigate("file://"+names[0]), visible("#rows tbody tr"))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.wrong = append(b.wrong, fmt.Sprintf("console %s", e.Type))
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// call calls the browser's protocol.
func call[P, R any](b *tab, c cdp.Command[P, R], p P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, c, p)
	require.NoError(b.t, err)
}

func click(s chromedp.CSS) chromedp.Action[chromedp.Void]   { return chromedp.Click(s) }
func visible(s chromedp.CSS) chromedp.Action[chromedp.Void] { return chromedp.WaitVisible(s) }

func keys(s chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(s, text)
}

// says is the value of an expression in the page, as text.
func (b *tab) says(expression string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+")))()", chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return s
}

// choose picks an entry of a list.
func (b *tab) choose(id, value string) {
	b.t.Helper()
	b.says(fmt.Sprintf(`[document.querySelector(%q).value = %q, document.querySelector(%q).dispatchEvent(new Event("change"))]`, id, value, id))
}

func (b *tab) rows() string { return b.says(`document.querySelectorAll("#rows tr.row").length`) }

// clean holds that nothing went wrong in the page, and that it asked for nothing but itself.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.wrong)
	for _, r := range b.requests {
		assert.True(b.t, strings.HasPrefix(r, "file://") && strings.HasSuffix(r, Page) || strings.HasPrefix(r, "data:"), r)
	}
	assert.NotEmpty(b.t, b.requests, "the page itself is one")
}

// shot takes a picture, if pictures are wanted.
func (b *tab) shot(name string, width int64, dark bool) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(chromedp.EmulateViewport(width, 900))
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644))
}

// TestBrowser opens a page as a person does.
func TestBrowser(t *testing.T) {
	b := openPage(t, newWorld(t).some(true))
	assert.Equal(t, "17", b.rows())
	assert.Equal(t, "undefined", b.says("window.pwned"), "a text of the run was run")
	b.shot("some-light", 1366, false)
	b.shot("some-dark", 1366, true)

	// a cause: closed, opened by a click, with its explanation, picture and values
	assert.Equal(t, "false", b.says(`document.querySelector("#bucket-1").open`))
	b.do(click("#bucket-1 > summary"), visible("#bucket-1 .timing"))
	assert.Contains(t, b.says(`document.querySelector("#bucket-1 .why").textContent`), "path.ce is 90 (0x5a) in the device")
	assert.Equal(t, "1", b.says(`document.querySelectorAll("#bucket-1 .values tr.wrong").length`))
	assert.Equal(t, "1", b.says(`document.querySelectorAll("#bucket-1 .timing .mark.wrong").length`))
	b.says(`document.querySelectorAll("#bucket-1 details").forEach((d) => { d.open = true; })`)
	b.shot("bucket-light", 1366, false)
	b.shot("bucket-dark", 1366, true)
	b.shot("bucket-narrow", 420, false)
	b.do(chromedp.EmulateViewport(1366, 900))

	// its line, copied
	_, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "clipboard-read"}, Setting: browser.PermissionSettingGranted})
	require.NoError(t, err)
	b.do(click("#bucket-1 .call button"), visible("#bucket-1 .call button.done"))
	assert.Equal(t, b.says(`document.querySelector("#bucket-1 .call code").textContent`), b.clipboard())
	assert.Contains(t, b.clipboard(), "tandem rerun p-2/bugs/ce+tiny@")

	// its executions; then by verdict, by words, by both
	b.do(click(`#bucket-1 [data-bucket]`))
	assert.Equal(t, "2", b.rows())
	b.do(click("#clear"))
	assert.Equal(t, "17", b.rows())
	b.choose("#verdict", "!match")
	assert.Equal(t, "5", b.rows())
	b.do(keys("#find", "known UNMET"))
	assert.Equal(t, "0", b.rows(), "signatures are no part of a row")
	b.do(click("#clear"), keys("#find", "bugs TIMEOUT"))
	assert.Equal(t, "1", b.rows())
	assert.Equal(t, "1 of 1 that fit, of 17", b.says(`document.querySelector("#count").textContent`))

	// a row, opened, and its line copied
	b.do(click("#rows tr.row"), visible("#rows tr.detail button"), click("#rows tr.detail button"), visible("#rows tr.detail button.done"))
	assert.Contains(t, b.clipboard(), "tandem rerun p-2/bugs/hang+tiny@")
	b.do(click("#rows tr.row"))
	assert.Equal(t, "0", b.says(`document.querySelectorAll("#rows tr.detail").length`))

	// sorted by time, the longest first
	b.do(click("#clear"), click(`[data-sort="duration"]`))
	assert.Equal(t, "370 ms", b.says(`document.querySelector("#rows tr.row").lastChild.textContent`))
	b.do(click(`[data-sort="duration"]`))
	assert.Equal(t, "150 ms", b.says(`document.querySelector("#rows tr.row").lastChild.textContent`))

	// all causes open, so that texts of every kind are on the page
	b.says(`document.querySelector("#unfold").click()`)
	assert.Equal(t, "undefined", b.says("window.pwned"))
	b.clean()
}

func (b *tab) clipboard() string {
	b.t.Helper()
	return b.says("navigator.clipboard.readText()")
}

// TestBrowserNoFailure: a run in which everything matches.
func TestBrowserNoFailure(t *testing.T) {
	b := openPage(t, newWorld(t).run([]result.Record{match("a/b", 0), match("a/c", 1)}, nil))
	assert.Contains(t, b.says(`document.querySelector("#buckets").textContent`), "None: every execution matches.")
	b.shot("none-light", 1024, false)
	b.clean()
}

// TestBrowserLarge: thousands of executions stay quick, because few are drawn.
func TestBrowserLarge(t *testing.T) {
	b := openPage(t, newWorld(t).large(3000))
	assert.Equal(t, "200", b.rows())
	assert.Equal(t, "200 of 3,000 that fit, of 3,000", b.says(`document.querySelector("#count").textContent`))
	b.shot("large-light", 1366, false)
	b.do(click("#more"))
	assert.Equal(t, "1200", b.rows())
	b.do(keys("#find", "t07"))
	assert.Equal(t, "50", b.rows())
	b.do(click("#clear"))
	b.choose("#bucket", "3")
	assert.Equal(t, "3", b.rows())
	b.shot("large-dark", 1920, true)
	b.clean()
}

// TestBrowserPlanted: the checks of this file see what they are there for.
func TestBrowserPlanted(t *testing.T) {
	b := openPage(t, newWorld(t).run([]result.Record{match("a/b", 0)}, nil))
	b.says(`(console.error("planted"), new Promise((done) => { const i = new Image(); i.onerror = done; i.src = "http://localhost:1/planted.png"; }))`)
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Contains(t, strings.Join(b.wrong, "\n"), "console error")
	assert.Contains(t, strings.Join(b.wrong, "\n"), "Content Security Policy")
}
