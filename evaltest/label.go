package evaltest

import (
	"bytes"
	"context"
	"regexp"
	"runtime/pprof"
	"strconv"
	"sync"
)

// Goroutines inherit the profiler labels of their creators, however deep, so a
// label tells whose work the great-grandchild of a body does. There is no call
// that reads the labels of the calling goroutine; the goroutine profile shows
// them beside the stacks, and only one stack at a time holds labelled.

const labelKey = "capeval-trial"

var (
	labels    trialLabels
	labelMu   sync.Mutex
	labelText = regexp.MustCompile(`"` + labelKey + `":"(\d+)"`)
)

// trialLabels are the trials by the number on their label.
type trialLabels struct {
	mu     sync.Mutex
	trials []*Trial
}

func (l *trialLabels) add(t *Trial) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trials = append(l.trials, t)
	return len(l.trials) - 1
}

func (l *trialLabels) trial(number string) *Trial {
	n, err := strconv.Atoi(number)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || n >= len(l.trials) {
		return nil
	}
	return l.trials[n]
}

// label marks the calling goroutine, and all that it will start, as working for
// t. The context carries the label on for code that sets labels of its own. The
// trial stays known after its end, so that a late failure is not taken for
// another's.
func label(ctx context.Context, t *Trial) context.Context {
	ctx = pprof.WithLabels(ctx, pprof.Labels(labelKey, strconv.Itoa(labels.add(t))))
	pprof.SetGoroutineLabels(ctx)
	return ctx
}

// labelled returns the trial whose label the calling goroutine inherited, nil
// when it has none. It stops the world for a moment: only failures ask.
func labelled() *Trial {
	labelMu.Lock()
	defer labelMu.Unlock()
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 1); err != nil {
		return nil
	}
	for _, group := range bytes.Split(buf.Bytes(), []byte("\n\n")) {
		if !bytes.Contains(group, []byte("evaltest.labelled+")) {
			continue
		}
		if m := labelText.FindSubmatch(group); m != nil {
			return labels.trial(string(m[1]))
		}
	}
	return nil
}
