// Package forge speaks to the forge that a pull request lives on.
//
//	job, err := forge.FromEnv(os.LookupEnv, os.ReadFile)
//	api, err := forge.NewGitHub(job, token, nil)
//	pr, err := api.PullRequest(ctx)
//	done, err := api.Upsert(ctx, pr, "capeval", body)
//
// It keeps one comment a name on a pull request: it finds its own by a mark in the
// text and writes it anew. It promises to take the number of a pull request from
// the forge and never from what a pull request may have written, and to edit no
// comment without its mark. It knows nothing of what it posts.
package forge
