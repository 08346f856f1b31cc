package stats

// IdenticalSuspected reports whether repeated trials look like copies of one
// another, as they are when an agent ignores its seed or answers come from a
// cache: some paired task differs between the arms, some arm has two or more
// valid trials of a paired task, and no arm's trials of any task differ, either
// in reward or in known output. The suite test must then not be trusted alone;
// see [Cautious].
func (c *Comparison) IdenticalSuspected() bool {
	if !c.ok {
		return false
	}
	repeated, discordant := false, false
	for _, p := range c.pairs {
		if varies(p.Baseline, p.BaselineOutputs) || varies(p.Candidate, p.CandidateOutputs) {
			return false
		}
		if p.paired() {
			repeated = repeated || len(p.Baseline) > 1 || len(p.Candidate) > 1
			discordant = discordant || p.Baseline[0] != p.Candidate[0] // all of an arm are equal
		}
	}
	return repeated && discordant
}

// varies reports whether the trials of one task in one arm differ.
func varies(rewards []float64, outputs []string) bool {
	for i := 1; i < len(rewards); i++ {
		if rewards[i] != rewards[0] {
			return true
		}
	}
	known := ""
	for _, o := range outputs {
		if o != "" && known != "" && o != known {
			return true
		}
		if o != "" {
			known = o
		}
	}
	return false
}
