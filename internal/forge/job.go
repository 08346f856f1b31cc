package forge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Job is what the environment of a workflow says about itself.
type Job struct {
	API        string // the root of the REST API
	Owner      string
	Repository string
	Number     int // of the pull request; 0 where the event does not say
	// The head of a pull request whose workflow has just ended, for the events
	// that name no number: those of forks.
	HeadOwner, HeadBranch, HeadSHA string
}

// event is the part of a webhook's payload that is read.
type event struct {
	PullRequest *struct {
		Number int `json:"number"`
	} `json:"pull_request"`
	Issue *struct {
		Number      int              `json:"number"`
		PullRequest *json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	WorkflowRun *struct {
		HeadBranch     string `json:"head_branch"`
		HeadSHA        string `json:"head_sha"`
		HeadRepository struct {
			Owner struct {
				Login string `json:"login"`
			} `json:"owner"`
		} `json:"head_repository"`
		PullRequests []struct {
			Number int `json:"number"`
		} `json:"pull_requests"`
	} `json:"workflow_run"`
}

// FromEnv reads GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_REF and the file that
// GITHUB_EVENT_PATH names. What a workflow does not set stays empty; a repository
// that is no owner/name and an event that is no JSON are errors.
func FromEnv(lookup func(string) (string, bool), readFile func(string) ([]byte, error)) (Job, error) {
	get := func(name string) string { v, _ := lookup(name); return v }
	j := Job{API: get("GITHUB_API_URL")}
	if j.API == "" {
		j.API = "https://api.github.com"
	}
	if err := j.SetRepository(get("GITHUB_REPOSITORY")); err != nil && get("GITHUB_REPOSITORY") != "" {
		return Job{}, fmt.Errorf("GITHUB_REPOSITORY: %w", err)
	}
	if number, ok := strings.CutPrefix(get("GITHUB_REF"), "refs/pull/"); ok {
		number, _, _ = strings.Cut(number, "/")
		j.Number, _ = strconv.Atoi(number)
	}
	path := get("GITHUB_EVENT_PATH")
	if path == "" {
		return j, nil
	}
	data, err := readFile(path)
	if err != nil {
		return Job{}, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return Job{}, fmt.Errorf("GITHUB_EVENT_PATH: %s: %w", path, err)
	}
	j.apply(e)
	return j, nil
}

func (j *Job) apply(e event) {
	switch {
	case e.PullRequest != nil:
		j.Number = e.PullRequest.Number
	case e.Issue != nil && e.Issue.PullRequest != nil:
		j.Number = e.Issue.Number
	case e.WorkflowRun != nil:
		w := e.WorkflowRun
		j.HeadOwner, j.HeadBranch, j.HeadSHA = w.HeadRepository.Owner.Login, w.HeadBranch, w.HeadSHA
		if len(w.PullRequests) == 1 {
			j.Number = w.PullRequests[0].Number
		}
	}
}

// SetRepository takes an owner/name.
func (j *Job) SetRepository(full string) error {
	owner, name, ok := strings.Cut(full, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("found %q, need owner/name", full)
	}
	j.Owner, j.Repository = owner, name
	return nil
}
