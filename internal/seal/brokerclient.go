package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// Client asks the broker that stands behind a grant. It keeps no connection and
// is safe for several goroutines.
type Client struct {
	g     Grant
	nonce []byte
}

// NewClient returns the client of a grant that [ReadGrant] accepted.
func NewClient(g Grant) *Client {
	nonce, _ := nonceBytes(g.Nonce)
	return &Client{g, nonce}
}

const (
	helloPatience = 30 * time.Second
	// askPatience covers the recording of the look, which goes over a network.
	askPatience = 10 * time.Minute
)

// Hello asks whether the broker is alive and knows the grant's nonce, and proves
// that we do. It burns nothing. An error is a [Refusal], or that of ctx.
func (c *Client) Hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	_, err := c.ask(ctx, request{Op: opHello})
	return err
}

// Ask asks for one trial, and returns the receipt without which its result does
// not count. The answer is final: a trial that was granted is never granted
// again. An error is a [Refusal], or that of ctx; the trial must not run then.
func (c *Client) Ask(ctx context.Context, task string, trial int) (receipt string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	return c.ask(ctx, request{Op: opTrial, Task: task, Trial: trial})
}

func (c *Client) ask(ctx context.Context, r request) (string, error) {
	a, err := c.exchange(ctx, r)
	switch {
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("seal: asking the finalize job: %w", ctx.Err())
	case err != nil:
		return "", DeadGrant(c.g.Attempt, err.Error())
	case a.Refusal != nil:
		return "", *a.Refusal
	case r.Op == opTrial && a.Receipt == "":
		return "", DeadGrant(c.g.Attempt, "an answer without a receipt")
	}
	return a.Receipt, nil
}

func (c *Client) exchange(ctx context.Context, r request) (answer, error) {
	conn, err := dial(ctx, c.g.Addr)
	if err != nil {
		return answer{}, fmt.Errorf("nobody listens at its socket: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	var hello greeting
	if err := readLine(conn, maxAnswer, &hello); err != nil {
		return answer{}, fmt.Errorf("the job behind it is gone: %w", err)
	}
	r.Attempt, r.Role, r.Suite, r.PID, r.Challenge = c.g.Attempt, c.g.Role, c.g.Suite, os.Getpid(), newChallenge()
	r.MAC = r.signed(c.nonce, hello.Challenge)
	if err := writeLine(conn, r); err != nil {
		return answer{}, fmt.Errorf("the job behind it is gone: %w", err)
	}
	var e envelope
	if err := readLine(conn, maxAnswer, &e); err != nil {
		return answer{}, fmt.Errorf("the job behind it is gone, or does not know this grant: %w", err)
	}
	if !equal(e.MAC, signAnswer(c.nonce, hello.Challenge, r, e.Answer)) {
		return answer{}, errors.New("somebody answers who does not know its nonce")
	}
	var a answer
	return a, json.Unmarshal(e.Answer, &a)
}

// dial waits where the broker's queue is full, which says that it is alive.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", addr)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}
