package cli

// tellShard says which part of the cells runs, and who chose it: an engine that
// numbers its jobs otherwise than expected is found out here.
func (s *call) tellShard() {
	if sh := s.cfg.Run.Shard; !sh.V.Whole() {
		s.say("shard %d of %d, by %s", sh.V.Index, sh.V.Count, sh.Origin)
	}
}

// emptyShard reports whether the suite has no cell in this shard and was asked
// for nothing less than all of them. That is how cells fall, and no mistake.
func (r *suiteRun) emptyShard() bool {
	return r.hasResult && r.result.Run.Shard != nil && r.result.NCells == 0 && !r.result.Subset
}
