package modelserver

import "time"

// Kind is what a message is about.
type Kind string

// The kinds of messages that the model tells apart, and what it does when in
// doubt.
const (
	Late     Kind = "late"     // where is my parcel
	Damaged  Kind = "damaged"  // it arrived broken
	Cancel   Kind = "cancel"   // cancel my order
	Address  Kind = "address"  // send it elsewhere
	Person   Kind = "person"   // let me talk to somebody
	Refund   Kind = "refund"   // money back, for no reason given
	Question Kind = "question" // anything else
)

// Config says how the model behaves. Its zero value answers every message badly.
type Config struct {
	// Quality is the share of trials, from 0 to 1, in which a message of a kind
	// is answered well. A kind that is absent is always answered badly.
	Quality map[Kind]float64
	// Storm is the share of trials, from 0 to 1, in which the server refuses
	// every call: half with 429 and a Retry-After, half with 500. A trial is a
	// seed with the first message of a conversation.
	Storm float64
	// Latency is the time every call takes. 0 is none.
	Latency time.Duration
}

// DefaultConfig is a decent model: best with people, worst where a policy has to
// be kept against a customer's wish.
func DefaultConfig() Config {
	return Config{
		Quality: map[Kind]float64{
			Late: 0.9, Damaged: 0.85, Cancel: 0.9, Address: 0.85, Person: 0.95, Refund: 0.75, Question: 0.95,
		},
		Latency: 2 * time.Millisecond,
	}
}
