package rundir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// RolloutPath returns where the rollout of a cell lies, whether or not it is
// there: rollouts/<split>/<task>__<arm>__t<trial>.json. Different cells have
// different paths, also where case is ignored.
func (d Dir) RolloutPath(split record.Split, task, arm string, trial int) string {
	name := fileName(task, maxName) + "__" + fileName(arm, maxArm) + "__t" + strconv.Itoa(trial) + ".json"
	return filepath.Join(d.Path, "rollouts", fileName(string(split), maxArm), name)
}

// WriteRollout writes v as JSON to the path of the cell's rollout, over that of
// an earlier attempt. The file is whole after the death of the process; it is
// not synced, since a rollout that a power cut takes away is no measurement.
func (d Dir) WriteRollout(split record.Split, task, arm string, trial int, v any) error {
	path := d.RolloutPath(split, task, arm, trial)
	data, err := rolloutText(task, trial, v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("rollout of task %q, trial %d: %w", task, trial, err)
	}
	return durable.WriteFile(path, data, durable.Options{NoSync: true})
}

func rolloutText(task string, trial int, v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("rollout of task %q, trial %d: %w", task, trial, err)
	}
	return append(data, '\n'), nil
}
