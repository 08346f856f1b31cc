// Package pulls tests the command from an empty module to gated pull requests.
package pulls
