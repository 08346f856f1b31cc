// Package support is an agent that answers customers of a small shop. It talks
// to any server of the chat-completions protocol and acts through tools.
package support

import (
	"fmt"
	"slices"
	"sync"
)

// Order is one order. Amounts are whole US cents.
type Order struct {
	ID       string `json:"id"`
	Item     string `json:"item"`
	Total    int    `json:"total_cents"`
	Status   string `json:"status"` // processing, shipped, delivered, cancelled
	DaysLate int    `json:"days_late"`
	Address  string `json:"address"`
	Refunded int    `json:"refunded_cents"`
}

// Escalation is a case that was handed to a person.
type Escalation struct{ OrderID, Reason string }

// Shop is a sandbox: the orders that the agent can read and change. It does
// what it is told and keeps no policy, so that a test sees what the agent did.
type Shop struct {
	mu          sync.Mutex
	orders      map[string]*Order
	escalations []Escalation
	log         []string
}

// NewShop returns a shop that holds copies of the orders.
func NewShop(orders ...Order) *Shop {
	s := &Shop{orders: map[string]*Order{}}
	for _, o := range orders {
		s.orders[o.ID] = &o
	}
	return s
}

// Order returns the order as it is now. The second value is false for an
// unknown id.
func (s *Shop) Order(id string) (Order, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.orders[id]
	if !ok {
		return Order{}, false
	}
	return *o, true
}

// Escalations returns the cases handed to a person, in order.
func (s *Shop) Escalations() []Escalation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.escalations)
}

// Log returns every change and look-up that was asked for, in order, as
// "refund 1001 2500".
func (s *Shop) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Changes returns the part of Log that is not a look-up.
func (s *Shop) Changes() []string {
	return slices.DeleteFunc(s.Log(), func(l string) bool { return l[:6] == "lookup" })
}

func (s *Shop) lookup(id string) (Order, error) {
	var out Order
	err := s.act(id, fmt.Sprintf("lookup %s", id), func(o *Order) error { out = *o; return nil })
	return out, err
}

func (s *Shop) refund(id string, cents int) error {
	return s.act(id, fmt.Sprintf("refund %s %d", id, cents), func(o *Order) error {
		if cents <= 0 {
			return fmt.Errorf("found an amount of %d cents, need more than 0", cents)
		}
		o.Refunded += cents
		return nil
	})
}

func (s *Shop) cancel(id string) error {
	return s.act(id, "cancel "+id, func(o *Order) error {
		if o.Status != "processing" {
			return fmt.Errorf("order %s is %s and cannot be cancelled", id, o.Status)
		}
		o.Status = "cancelled"
		return nil
	})
}

func (s *Shop) move(id, address string) error {
	return s.act(id, fmt.Sprintf("move %s %s", id, address), func(o *Order) error {
		if o.Status != "processing" {
			return fmt.Errorf("order %s is %s: its address is fixed", id, o.Status)
		}
		o.Address = address
		return nil
	})
}

func (s *Shop) escalate(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, "escalate "+id)
	s.escalations = append(s.escalations, Escalation{id, reason})
}

// act logs what is done and does it to a known order.
func (s *Shop) act(id, entry string, do func(*Order) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, entry)
	o, ok := s.orders[id]
	if !ok {
		return fmt.Errorf("there is no order %q", id)
	}
	return do(o)
}
