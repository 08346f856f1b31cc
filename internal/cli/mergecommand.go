package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/merge"
)

// writeMergedCommand writes command.json of a merged run, so that --resume
// repeats the flags that made its plan. A setting that the shards do not share,
// and the shard itself, are left out; a budget has been spent.
func writeMergedCommand(root string, m *merge.Merged) error {
	all := commandFile{Schema: commandSchema, ID: m.ID, Packages: []string{}, Focus: []string{}, Ended: []string{}}
	first := true
	seen := map[string]bool{}
	for _, s := range m.Suites {
		if !slices.Contains(all.Packages, s.Run.Package) {
			all.Packages = append(all.Packages, s.Run.Package)
		}
		for _, sh := range s.Shards {
			if seen[sh.Root] {
				continue
			}
			seen[sh.Root] = true
			c, ok, err := commandOf(sh.Root)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if first {
				first = false
				all.Settings, all.LabelFilter, all.Focus = c.Settings, c.LabelFilter, append(all.Focus, c.Focus...)
			}
			for key, text := range all.Settings {
				if c.Settings[key] != text {
					delete(all.Settings, key)
				}
			}
		}
	}
	slices.Sort(all.Packages)
	if all.Settings == nil {
		all.Settings = map[string]string{}
	}
	delete(all.Settings, "shard")
	delete(all.Settings, "budget_usd")
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(root, commandName), append(data, '\n'), durable.Options{})
}

// commandOf reads command.json; ok is false where the run was made without the
// command.
func commandOf(root string) (c commandFile, ok bool, err error) {
	path := filepath.Join(root, commandName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err == nil && c.Schema != commandSchema {
		err = fmt.Errorf("found schema %q, need %q", c.Schema, commandSchema)
	}
	if err != nil {
		return c, false, merge.Problems{{Kind: merge.Integrity, Text: fmt.Sprintf("%s: %v", path, err)}}
	}
	return c, true, nil
}
