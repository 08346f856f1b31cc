package evaltest

import (
	"errors"

	"github.com/capeval/capeval/record"
)

// caused is an error that names its cause from the closed list.
type caused struct {
	cause record.Cause
	err   error
}

func (c caused) Error() string { return c.err.Error() }
func (c caused) Unwrap() error { return c.err }
func (c caused) Cause() string { return string(c.cause) }

// RateLimited marks err as a refusal by rate limit: given to [Trial.Missing] or
// returned from a rollout, it makes the trial missing with cause rate_limit. A
// nil err stays nil. Any error with a method Cause() string that returns a cause
// of the closed list works alike.
func RateLimited(err error) error { return mark(err, record.CauseRateLimit) }

// ScorerFailed marks err as the scorer's: the trial is missing with cause
// scorer. A nil err stays nil.
func ScorerFailed(err error) error { return mark(err, record.CauseScorer) }

func mark(err error, cause record.Cause) error {
	if err == nil {
		return nil
	}
	return caused{cause, err}
}

// causeOf returns the cause that err names, or otherwise.
func causeOf(err error, otherwise record.Cause) record.Cause {
	var c interface{ Cause() string }
	if errors.As(err, &c) {
		if named := record.Cause(c.Cause()); named.Missing() || named.Agent() {
			return named
		}
	}
	return otherwise
}
