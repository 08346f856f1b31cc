package agentexec

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a command that runs in a group of its own, with pipes that this
// package reads and writes itself: os/exec would wait for whoever holds them.
type process struct {
	group   *group
	in      *os.File // our end of stdin
	outs    [2]*os.File
	kept    [2]*capture
	copied  chan struct{} // one value for each stream that has ended
	started time.Time
}

// start starts cmd. When it returns an error, nothing runs and nothing is open.
func start(cmd *exec.Cmd, stdin string, maxOutput int) (_ *process, err error) {
	p := &process{copied: make(chan struct{}, 2)}
	var theirs, ours []*os.File
	defer func() {
		closeAll(theirs)
		if err != nil {
			closeAll(ours)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	stdinR, stdinW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	theirs, ours = []*os.File{stdinR, outW, errW}, []*os.File{stdinW, outR, errR}
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdinR, outW, errW
	ownGroup(cmd)
	p.started = time.Now()
	if err = cmd.Start(); err != nil {
		return nil, err
	}
	p.group = &group{leader: cmd.Process}
	p.in, p.outs = stdinW, [2]*os.File{outR, errR}
	for i, r := range p.outs {
		p.kept[i] = newCapture(maxOutput)
		go func() {
			_, _ = io.Copy(p.kept[i], r) // ends at EOF, or when await closes r
			p.copied <- struct{}{}
		}()
	}
	go func() {
		_, _ = io.WriteString(stdinW, stdin) // a command need not read it all
		_ = stdinW.Close()
	}()
	return p, nil
}

// await returns when the group is gone. inTime says that the command ended
// before ctx did. Nothing that the command does can make it wait longer than
// grace and drainStopped after ctx has ended.
func (p *process) await(ctx context.Context, grace time.Duration) (res Result, inTime bool, err error) {
	type ending struct {
		state *os.ProcessState
		err   error
	}
	ended := make(chan ending, 1)
	go func() {
		state, err := p.group.reap()
		ended <- ending{state, err}
	}()
	var end ending
	select {
	case end = <-ended:
		inTime = true
	case <-ctx.Done():
		p.group.terminate()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case end = <-ended:
		case <-timer.C:
			p.group.kill()
			end = <-ended
		}
	}
	if inTime {
		p.drain(drainEnded)
	} else {
		p.drain(drainStopped)
	}
	res = Result{ExitCode: -1, Elapsed: time.Since(p.started)}
	res.Stdout, res.StdoutCut = p.kept[0].text()
	res.Stderr, res.StderrCut = p.kept[1].text()
	if end.err != nil {
		return res, inTime, end.err
	}
	res.ExitCode = end.state.ExitCode()
	if !end.state.Exited() {
		res.Signal = end.state.String()
	}
	return res, inTime, nil
}

// drain reads what the group has left in the pipes and closes them.
func (p *process) drain(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for open := 2; open > 0; {
		select {
		case <-p.copied:
			open--
		case <-timer.C:
			open = 0
		}
	}
	closeAll([]*os.File{p.in, p.outs[0], p.outs[1]})
}

// closeAll closes what is open; a file closed twice is no harm.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
