package record

import "fmt"

// Method names the interval of a result: Wilson's, with the t quantile and an
// effective sample size.
const Method = "wilson_t_neff"

// maxDefaultK ends the list of k that a result carries when nobody asked for
// others: every k up to it that the trials allow.
const maxDefaultK = 10

// Options say how a split is summarised. The zero value is the usual way.
type Options struct {
	// PassThreshold is the reward, 0 to 1, from which a trial passes. Nil means
	// the run's own, and 1 where the run has 0.
	PassThreshold *float64
	// Ks lists the k of pass^k and pass@k, each 1 or more. Nil means 1 to 10.
	// A k above the smallest number of valid trials of a scored task is left
	// out in either case.
	Ks []int
	// Confidence is the level of the interval, between 0 and 1. 0 means 0.95.
	Confidence float64
	// AnyRun accepts trials of other run ids than the plan's, for the shards of
	// one evaluation.
	AnyRun bool
}

func (o Options) check() error {
	if t := o.PassThreshold; t != nil && !(*t >= 0 && *t <= 1) {
		return fmt.Errorf("record: found pass threshold %v, need a number from 0 to 1", *t)
	}
	for _, k := range o.Ks {
		if k < 1 {
			return fmt.Errorf("record: found k %d for pass^k, need 1 or more", k)
		}
	}
	if c := o.Confidence; c != 0 && !(c > 0 && c < 1) {
		return fmt.Errorf("record: found confidence %v, need a number between 0 and 1", c)
	}
	return nil
}

func (o Options) threshold(run Run) float64 {
	switch {
	case o.PassThreshold != nil:
		return *o.PassThreshold
	case run.PassThreshold > 0:
		return run.PassThreshold
	}
	return 1
}

func (o Options) confidence() float64 {
	if o.Confidence == 0 {
		return 0.95
	}
	return o.Confidence
}

func (o Options) ks(minValid int) []int {
	if o.Ks == nil {
		var ks []int
		for k := 1; k <= min(minValid, maxDefaultK); k++ {
			ks = append(ks, k)
		}
		return ks
	}
	var ks []int
	for _, k := range o.Ks {
		if k <= minValid {
			ks = append(ks, k)
		}
	}
	return ks
}
