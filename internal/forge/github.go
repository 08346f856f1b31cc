package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v93/github"
)

// GitHub is the REST API of one repository.
type GitHub struct {
	client *github.Client
	job    Job
}

// ErrNoPullRequest says that the job belongs to no open pull request.
var ErrNoPullRequest = errors.New("no open pull request")

// ErrForbidden says that the token may not write here, as in the workflow of a
// fork's pull request.
var ErrForbidden = errors.New("the token may not write")

// timeout bounds one request.
const timeout = 30 * time.Second

// NewGitHub returns the API that job names. A nil transport is the default one.
func NewGitHub(job Job, token string, transport http.RoundTripper) (*GitHub, error) {
	if job.Owner == "" {
		return nil, errors.New("found no repository, need owner/name")
	}
	api := strings.TrimSuffix(job.API, "/") + "/"
	opts := []github.ClientOptionsFunc{
		github.WithURLs(&api, nil), github.WithTimeout(timeout), github.WithUserAgent("capeval-ci"), github.WithEnvProxy(),
	}
	if transport != nil {
		opts = append(opts, github.WithTransport(transport))
	}
	if token != "" {
		opts = append(opts, github.WithAuthToken(token))
	}
	client, err := github.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	return &GitHub{client, job}, nil
}

// PullRequest returns the number of the job's pull request. Where the event names
// only a branch and a commit, the forge is asked which open pull request has that
// commit as its head: a number that a fork's workflow left in a file would be the
// fork's word.
func (g *GitHub) PullRequest(ctx context.Context) (int, error) {
	j := g.job
	if j.Number > 0 {
		return j.Number, nil
	}
	if j.HeadSHA == "" {
		return 0, fmt.Errorf("%w: the event names neither a number nor a head commit", ErrNoPullRequest)
	}
	opts := &github.PullRequestListOptions{State: "open", ListOptions: github.ListOptions{PerPage: 100}}
	if j.HeadOwner != "" && j.HeadBranch != "" {
		opts.Head = j.HeadOwner + ":" + j.HeadBranch
	}
	found, _, err := g.client.PullRequests.List(ctx, j.Owner, j.Repository, opts)
	if err != nil {
		return 0, explain(err)
	}
	for _, pr := range found {
		if pr.GetHead().GetSHA() == j.HeadSHA {
			return pr.GetNumber(), nil
		}
	}
	return 0, fmt.Errorf("%w has commit %s of %s:%s as its head: it was closed, or a newer commit was pushed", ErrNoPullRequest, j.HeadSHA, j.HeadOwner, j.HeadBranch)
}

// Done says what Upsert did.
type Done struct {
	What string // created, updated or unchanged
	URL  string
	// Others counts further comments with the mark, which were left as they are.
	Others int
}

// Mark is the invisible end of a comment by which it is found again. It stands
// last, so that a notification begins with what the comment says.
func Mark(name string) string { return "\n\n<!-- capeval-comment: " + name + " -->\n" }

// Upsert makes the one comment of that name say body, which must not hold a mark
// itself. It edits the first comment with the mark that the token may edit, and
// writes a new one where there is none.
func (g *GitHub) Upsert(ctx context.Context, pr int, name, body string) (Done, error) {
	mark := strings.TrimSpace(Mark(name))
	if strings.Contains(body, "<!-- capeval-comment:") {
		return Done{}, errors.New("found the mark of a comment within the text, need a text without")
	}
	body = strings.TrimRight(body, "\n") + Mark(name)
	var mine []*github.IssueComment
	opts := github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for c, err := range g.client.Issues.ListCommentsIter(ctx, g.job.Owner, g.job.Repository, pr, &opts) {
		if err != nil {
			return Done{}, explain(err)
		}
		if strings.HasSuffix(strings.TrimSpace(c.GetBody()), mark) {
			mine = append(mine, c)
		}
	}
	for _, c := range mine {
		if same(c.GetBody(), body) {
			return Done{"unchanged", c.GetHTMLURL(), len(mine) - 1}, nil
		}
		updated, _, err := g.client.Issues.UpdateComment(ctx, g.job.Owner, g.job.Repository, c.GetID(), github.IssueCommentRequest{Body: body})
		switch err = explain(err); {
		case err == nil:
			return Done{"updated", updated.GetHTMLURL(), len(mine) - 1}, nil
		case errors.Is(err, ErrForbidden), errors.Is(err, errGone):
			continue // somebody else's, who copied the mark, or deleted by now
		default:
			return Done{}, err
		}
	}
	made, _, err := g.client.Issues.CreateComment(ctx, g.job.Owner, g.job.Repository, pr, github.IssueCommentRequest{Body: body})
	if err != nil {
		return Done{}, explain(err)
	}
	return Done{"created", made.GetHTMLURL(), len(mine)}, nil
}

// same compares what was posted with what is stored: the forge may change the
// ends of lines.
func same(a, b string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(a) == plain(b)
}

var errGone = errors.New("not there")

// explain adds what to do about a refusal.
func explain(err error) error {
	var limited *github.RateLimitError
	var abuse *github.AbuseRateLimitError
	var refused *github.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limited):
		return fmt.Errorf("the forge's rate limit is used up until %s: %w", limited.Rate.Reset.UTC().Format(time.RFC3339), err)
	case errors.As(err, &abuse):
		return fmt.Errorf("the forge asks to slow down: %w", err)
	case errors.As(err, &refused) && refused.Response != nil:
		switch code := refused.Response.StatusCode; {
		case code == http.StatusUnauthorized || code == http.StatusForbidden:
			return fmt.Errorf("%w (%s): give the job `permissions: pull-requests: write`; the workflow of a fork's pull request never has it, so post from a workflow_run job", ErrForbidden, refused.Message)
		case code == http.StatusNotFound || code == http.StatusGone:
			return fmt.Errorf("%w: %w: the token cannot see it, or it does not exist", errGone, err)
		case code == http.StatusUnprocessableEntity:
			return fmt.Errorf("the forge refuses the text: %w", err)
		}
	}
	return err
}
