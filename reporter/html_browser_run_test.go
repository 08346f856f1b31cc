package reporter_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Real pages in a real browser. One browser serves all of them.
func TestHTMLInABrowser(t *testing.T) {
	b := browser(t)
	full := htmlOf(t, sample(t))
	for _, c := range []struct {
		name     string
		look     look
		from, to float64 // the mean of the paper's red, green and blue
	}{
		{"light", look{}, 240, 255},
		{"dark", look{dark: true}, 0, 40},
		{"print", look{print: true, width: 800}, 240, 255},
		{"print_from_dark", look{print: true, dark: true, width: 800}, 240, 255},
		{"narrow", look{width: 360}, 240, 255},
		{"narrow_dark", look{width: 360, dark: true}, 0, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, b, full, c.look)
			if wrong := p.audit(); len(wrong) > 0 {
				t.Errorf("found %q", wrong)
			}
			if v := ask[float64](p, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b) / 3`); v < c.from || v > c.to {
				t.Errorf("the paper is %v of 255, need %v to %v", v, c.from, c.to)
			}
			p.quiet()
		})
	}
	t.Run("print_shows_all", func(t *testing.T) { htmlPrints(t, b) })
	t.Run("keyboard", func(t *testing.T) { htmlKeyboard(t, b) })
	t.Run("no_script", func(t *testing.T) { htmlNoScript(t, b, full) })
	t.Run("hostile", func(t *testing.T) { htmlHostilePage(t, b) })
	t.Run("audit_finds", func(t *testing.T) { htmlAuditFinds(t, b, htmlOf(t, reporter.Input{Results: results(t)[:1]})) })
	t.Run("many", func(t *testing.T) { htmlManyTasks(t, b) })
	if *update {
		htmlPictures(t, b)
	}
}

// Print has every row and nothing to press.
func htmlPrints(t *testing.T, b context.Context) {
	p := open(t, b, htmlOf(t, many(t, 300, 2)), look{print: true, width: 800})
	if n := ask[int](p, `[...document.querySelectorAll('.tools, nav')].filter(e => e.checkVisibility()).length`); n != 0 {
		t.Errorf("%d parts that one presses are printed", n)
	}
	if n := ask[int](p, `[...document.querySelectorAll('.box')].filter(e => e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== 'visible').length`); n != 0 {
		t.Errorf("%d tables are cut off", n)
	}
	if h := ask[float64](p, `document.querySelector('table.live').getBoundingClientRect().height`); h < 300*10 {
		t.Errorf("a table of 300 rows is %.0f pixels high", h)
	}
}

// Everything can be done without a mouse, and one sees where one is.
func htmlKeyboard(t *testing.T, b context.Context) {
	r := measured(t, "s", "candidate", "alpha=11", "beta=10", "gamma=00", "delta=--", "epsilon=1-")
	p := open(t, b, htmlOf(t, reporter.Input{Results: []record.SplitResult{r}}), look{})
	ids := func() []string {
		return ask[[]string](p, `[...document.querySelectorAll('table.live tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)`)
	}
	check := func(what string, want ...string) {
		t.Helper()
		if got := ids(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, need %q", what, got, want)
		}
	}
	check("as it is", "gamma", "beta", "alpha", "epsilon", "delta")

	p.do(chromedp.KeyEvent(kb.Tab)) // the link past the head of the page
	if got := ask[string](p, `document.activeElement.textContent`); got != "Skip to the results" {
		t.Errorf("the first stop is %q", got)
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	seen := false // tab to the field
	for range 40 {
		p.do(chromedp.KeyEvent(kb.Tab))
		if outline := ask[string](p, `getComputedStyle(document.activeElement).outlineStyle + ' ' + getComputedStyle(document.activeElement).outlineWidth`); outline != "solid 2px" {
			t.Errorf("the stop %s has the outline %q", ask[string](p, `document.activeElement.outerHTML.slice(0, 80)`), outline)
		}
		if seen = ask[string](p, `document.activeElement.type || ''`) == "search"; seen {
			break
		}
	}
	if !seen {
		t.Fatal("no stop is the field that filters")
	}
	p.do(chromedp.KeyEvent("LTA"))
	check("filtered by lta", "delta")
	if got := ask[string](p, `document.querySelector('[role=status]').textContent`); got != "1 of 5 tasks shown" {
		t.Errorf("the live region says %q", got)
	}
	p.do(chromedp.KeyEvent(kb.Backspace + kb.Backspace + kb.Backspace + "rate_limit 1"))
	check("filtered by a cause and a count", "epsilon")
	p.do(chromedp.KeyEvent("zzz"))
	check("filtered by what is nowhere")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.activeElement.select()`), chromedp.KeyEvent(kb.Backspace))
	check("no filter", "gamma", "beta", "alpha", "epsilon", "delta")

	press := func(column string, times int) string {
		t.Helper()
		ask[bool](p, fmt.Sprintf(`[...document.querySelectorAll('table.live th button')].find(b => b.textContent === %q).focus() || true`, column))
		for range times {
			p.do(chromedp.KeyEvent(kb.Enter))
		}
		return ask[string](p, `[...document.querySelectorAll('table.live th[aria-sort]')].map(h => h.textContent + ' ' + h.getAttribute('aria-sort')).join()`)
	}
	if got := press("task", 1); got != "task ascending" {
		t.Errorf("the head says %q", got)
	}
	check("by name", "alpha", "beta", "delta", "epsilon", "gamma")
	if got := press("reward", 2); got != "reward descending" {
		t.Errorf("the head says %q", got)
	}
	check("by reward, downwards: what has none comes last", "alpha", "epsilon", "beta", "gamma", "delta")
	if got := press("valid", 1); got != "valid ascending" {
		t.Errorf("the head says %q", got)
	}
	check("by valid trials: equals stay as they were", "delta", "epsilon", "alpha", "beta", "gamma")
	p.quiet()
}

// Without its script the page says the same.
func htmlNoScript(t *testing.T, b context.Context, page []byte) {
	without := open(t, b, page, look{noScript: true})
	want := len(htmlTags(htmlTree(t, page), "tbody", "tr"))
	if n := ask[int](without, `[...document.querySelectorAll('tbody, tr')].filter(e => e.checkVisibility()).length`); n != want || n < 50 {
		t.Errorf("without its script the page shows %d parts of tables, need %d", n, want)
	}
	if n := ask[int](without, `[...document.querySelectorAll('button, .tools')].filter(e => e.checkVisibility()).length`); n != 0 {
		t.Errorf("%d parts that do nothing are shown", n)
	}
	without.quiet()
}

// A page of hostile texts runs nothing, asks nobody and keeps its form.
func htmlHostilePage(t *testing.T, b context.Context) {
	var all reporter.Input
	for _, h := range htmlHostile {
		in := htmlHostileInput(t, h)
		all.Results = append(all.Results, in.Results...)
		all.Decisions = append(all.Decisions, in.Decisions...)
		all.Finals = append(all.Finals, in.Finals...)
		all.Checks = append(all.Checks, in.Checks...)
		all.Notes = append(all.Notes, in.Notes...)
	}
	p := open(t, b, htmlOf(t, all), look{width: 360})
	if ask[bool](p, `'pwned' in window`) {
		t.Error("a text ran")
	}
	if wrong := p.audit(); len(wrong) > 0 {
		t.Errorf("found %q", wrong)
	}
	p.quiet()
}

// The audit would say so if something were wrong.
func htmlAuditFinds(t *testing.T, b context.Context, page []byte) {
	p := open(t, b, page, look{})
	for change, want := range map[string]string{
		`document.querySelector('h3').id = 'main'`:                                  "an id is used twice",
		`document.querySelector('caption').remove()`:                                "a table has no caption",
		`document.querySelector('svg > title').remove()`:                            "a picture has no text",
		`document.querySelector('label').remove()`:                                  "a field has no label",
		`document.querySelector('h2').outerHTML = '<h5>x</h5>'`:                     "a heading skips a level",
		`document.querySelector('tbody tr').cells[1].remove()`:                      "a row has",
		`document.styleSheets[0].insertRule('footer p { color: #999 }')`:            "contrast",
		`document.styleSheets[0].insertRule('main { width: 200vw }')`:               "it is wider than the page",
		`document.querySelector('.tabled .box').removeAttribute('aria-labelledby')`: "it has no name",
	} {
		p.do(chromedp.Reload())
		ask[bool](p, change+", true")
		found := p.audit()
		if ok := slices.ContainsFunc(found, func(s string) bool { return len(s) >= len(want) && s[:len(want)] == want }); !ok {
			t.Errorf("%s: found %q, need %q among them", change, found, want)
		}
	}
}

// 2,000 tasks of 5 trials in both arms are there within a second, best of three.
// Where a busy machine makes that more, what counts is the time that the page
// itself took of it.
func htmlManyTasks(t *testing.T, b context.Context) {
	page := htmlOf(t, many(t, 2000, 5))
	best, work := 1e9, 1e9
	var p *tab
	for range 3 {
		p = open(t, b, []byte("<!DOCTYPE html>"), look{})
		p.call(func(ctx context.Context, s *chromedp.Target) error {
			_, err := cdp.Call(ctx, s, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
			return err
		})
		before := htmlWork(p)
		p.load(page)
		work = min(work, htmlWork(p)-before)
		best = min(best, ask[float64](p, `new Promise(done => requestAnimationFrame(() => setTimeout(() => {
			const paint = performance.getEntriesByType('paint').map(e => e.startTime);
			done(Math.max(performance.getEntriesByType('navigation')[0].loadEventEnd, ...paint));
		})))`))
	}
	t.Logf("%d bytes: loaded and painted in %.0f ms, of which %.0f ms are the page's own work", len(page), best, work)
	if best > 1000 && work > 1000 {
		t.Errorf("loaded and painted in %.0f ms with %.0f ms of its own work, need at most 1,000", best, work)
	}
	if n := ask[int](p, `document.querySelectorAll('table.live tbody tr').length`); n != 3*2000 {
		t.Errorf("found %d rows, need 6,000", n)
	}
	took := ask[[]float64](p, `[0, 1, 2].flatMap(() => [...document.querySelectorAll('table.live')]).map(table => {
		const start = performance.now();
		table.querySelectorAll('th button')[2].click();
		const field = table.closest('.tabled').querySelector('input');
		field.value = 'refund 0';
		field.dispatchEvent(new Event('input'));
		table.getBoundingClientRect();
		return performance.now() - start;
	})`)
	t.Logf("a table of 2,000 rows is sorted and filtered in %.0f ms", slices.Min(took))
	if slices.Min(took) > 1000 {
		t.Errorf("a table is sorted and filtered in %.0f ms, need at most 1,000", slices.Min(took))
	}
	if got := ask[string](p, `document.querySelector('.count').textContent`); got != "500 of 2,000 tasks shown" {
		t.Errorf("the live region says %q", got)
	}
}

// htmlWork is how long the thread of a page has worked, in milliseconds.
func htmlWork(p *tab) float64 {
	p.t.Helper()
	total := 0.0
	p.call(func(ctx context.Context, s *chromedp.Target) error {
		m, err := cdp.Call(ctx, s, performance.GetMetrics, cdp.Empty{})
		for _, v := range m.Metrics {
			if v.Name == "TaskDuration" {
				total = 1000 * v.Value
			}
		}
		return err
	})
	return total
}

// htmlPictures writes the pictures of the documentation.
func htmlPictures(t *testing.T, b context.Context) {
	base, cand := htmlSupport(t)
	v, err := gate.DecideAll([]record.SplitResult{base}, []record.SplitResult{cand}, gate.NoRegression(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("../docs/images", 0o755); err != nil {
		t.Fatal(err)
	}
	page := htmlOf(t, reporter.Input{Results: []record.SplitResult{base, cand}, Decisions: v.Suites, Verdict: v.Verdict})
	for name, l := range map[string]look{"light": {}, "dark": {dark: true}} {
		p := open(t, b, page, l)
		p.do(chromedp.EmulateViewport(1280, 1560))
		img, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../docs/images/report-"+name+".png", img, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open(t, b, htmlOf(t, reporter.Input{Results: results(t)[:1]}), look{}).picture("../docs/images/report-heat-map.png", `svg[aria-labelledby*="-heat-"]`)
}

// htmlSupport is a suite in both arms, one task of which got worse by itself.
func htmlSupport(t *testing.T) (base, cand record.SplitResult) {
	base = measured(t, "support", "baseline", "refund=111111", "cancel=110111", "greet=111111", "gift-card-abroad=010101", "lost-parcel=1111-1", "change-address=101101", "vat-invoice=111110", "price-match=011010")
	cand = measured(t, "support", "candidate", "refund=000000", "cancel=010110", "greet=111111", "gift-card-abroad=110111", "lost-parcel=-01--1", "change-address=111101", "vat-invoice=111111", "price-match=010010")
	return base, cand
}
