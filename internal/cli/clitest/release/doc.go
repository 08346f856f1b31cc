// Package release tests the command from shards to a published score.
package release
