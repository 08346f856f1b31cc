package seal

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"time"
)

// accept serves connections, as many at a time as there is room for, until the
// listener is closed.
func (b *Broker) accept() {
	for {
		select {
		case b.room <- struct{}{}:
		case <-b.ctx.Done():
			return
		}
		conn, err := b.lis.Accept()
		if err != nil {
			<-b.room
			if errors.Is(err, net.ErrClosed) || b.ctx.Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // no descriptor is free right now
			continue
		}
		b.serving.Go(func() {
			defer func() { <-b.room }()
			b.serve(conn)
		})
	}
}

// serve answers one request. Whoever does not prove the nonce gets no answer.
func (b *Broker) serve(conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(b.ctx, func() { conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(b.cfg.Patience))
	challenge := newChallenge()
	if writeLine(conn, greeting{1, challenge}) != nil {
		return
	}
	var r request
	if readLine(conn, maxRequest, &r) != nil || !equal(r.MAC, r.signed(b.nonce, challenge)) {
		return
	}
	a, ok := b.respond(r)
	if !ok {
		return
	}
	body, err := json.Marshal(a)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(b.cfg.Patience)) // the look may have taken its time
	_ = writeLine(conn, envelope{body, signAnswer(b.nonce, challenge, r, body)})
}

// respond answers a request that proved the nonce.
func (b *Broker) respond(r request) (a answer, ok bool) {
	switch {
	case r.Attempt != b.cfg.Attempt:
		return answer{Refusal: ptr(DeadGrant(r.Attempt, "another attempt's broker"))}, true
	case r.Op == opHello:
		return answer{}, true
	case r.Op == opTrial:
		return b.decide(r), true
	}
	return answer{}, false
}
