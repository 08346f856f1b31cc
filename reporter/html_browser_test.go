package reporter_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser returns the context of a browser that the tests of a page share. It
// skips where there is none, and fails in CI, where there has to be one.
func browser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	switch {
	case path != "":
	case os.Getenv("CI") != "":
		t.Fatal("no chromium and no google-chrome in PATH: CI needs one, else nobody ever looks at the page")
	default:
		t.Skip("no chromium and no google-chrome in PATH: the page is not looked at in a browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // its sandbox does not start for root
	}
	alloc, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// tab is one page in the browser, and what it did.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	said     []string // console, exceptions, dialogs, reports of the policy
}

// look is how a page is looked at.
type look struct {
	dark, print, noScript bool
	width                 int64
}

func open(t *testing.T, browser context.Context, html []byte, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	p.call(func(ctx context.Context, s *chromedp.Target) error {
		_, err := cdp.Call(ctx, s, network.Enable, network.EnableParams{})
		return err
	})
	p.call(func(ctx context.Context, s *chromedp.Target) error {
		_, err := cdp.Call(ctx, s, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
		return err
	})
	p.media(l)
	if l.width == 0 {
		l.width = 1280
	}
	p.do(chromedp.EmulateViewport(l.width, 900))
	p.load(html)
	return p
}

// load opens a page from the disk.
func (p *tab) load(html []byte) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "report.html")
	if err := os.WriteFile(path, html, 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()))
}

func (p *tab) media(l look) {
	p.t.Helper()
	m := emulation.SetEmulatedMediaParams{Media: "screen", Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	if l.dark {
		m.Features[0].Value = "dark"
	}
	if l.print {
		m.Media = "print"
	}
	p.call(func(ctx context.Context, s *chromedp.Target) error {
		_, err := cdp.Call(ctx, s, emulation.SetEmulatedMedia, m)
		return err
	})
}

func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		p.said = append(p.said, fmt.Sprint("console: ", e.Type))
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		p.said = append(p.said, "log: "+e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		p.said = append(p.said, "dialog: "+e.Message)
	}
}

func (p *tab) call(f func(context.Context, *chromedp.Target) error) {
	p.t.Helper()
	p.do(chromedp.Func(f))
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// ask evaluates an expression in the page, and waits for a promise.
func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// quiet fails when the page asked for anything but itself or had anything to say.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 1 || !strings.HasPrefix(p.requests[0], "file://") {
		p.t.Errorf("the page sent the requests %q, need its own file and no other", p.requests)
	}
	if len(p.said) > 0 {
		p.t.Errorf("the page said %q", p.said)
	}
}

// audit returns what is wrong with the page for somebody who does not see it, or
// sees it badly.
func (p *tab) audit() []string {
	p.t.Helper()
	script, err := os.ReadFile("testdata/html_audit.js")
	if err != nil {
		p.t.Fatal(err)
	}
	return ask[[]string](p, "("+string(script)+")()")
}

// picture writes one element of the page as an image.
func (p *tab) picture(path, selector string) {
	p.t.Helper()
	img, err := chromedp.Run(p.ctx, chromedp.Screenshot(chromedp.CSS(selector)))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, img, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
