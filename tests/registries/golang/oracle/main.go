// Answers questions with golang.org/x/mod itself: one JSON array of questions in, one of answers out.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
)

type question struct {
	Version string
	Other   string
	Path    string
	Body    []byte
	Kind    string
}

func text(value string, err error) any {
	if err != nil {
		return nil
	}
	return value
}

func version(q question) map[string]any {
	out := map[string]any{
		"valid":     semver.IsValid(q.Version),
		"canonical": module.CanonicalVersion(q.Version),
		"major":     semver.Major(q.Version),
		"build":     semver.Build(q.Version),
		"pre":       semver.Prerelease(q.Version) != "",
		"pseudo":    module.IsPseudoVersion(q.Version),
		"compare":   semver.Compare(q.Version, q.Other),
		"escaped":   text(module.EscapeVersion(q.Version)),
		"unescaped": text(module.UnescapeVersion(q.Version)),
		"base":      text(module.PseudoVersionBase(q.Version)),
		"rev":       text(module.PseudoVersionRev(q.Version)),
		"time":      nil,
	}
	if t, err := module.PseudoVersionTime(q.Version); err == nil && t.Year() > 0 {
		out["time"] = t.Format(time.RFC3339)
	}
	return out
}

func path(q question) map[string]any {
	prefix, major, ok := module.SplitPathVersion(q.Path)
	return map[string]any{
		"valid":     module.CheckPath(q.Path) == nil,
		"split":     []any{prefix, major, ok},
		"escaped":   text(module.EscapePath(q.Path)),
		"unescaped": text(module.UnescapePath(q.Path)),
		"belongs":   ok && module.CheckPathMajor(q.Version, major) == nil,
	}
}

func file(f *modfile.File, err error) any {
	if err != nil {
		return nil
	}
	out := map[string]any{"module": "", "deprecated": "", "go": "", "toolchain": ""}
	if f.Module != nil {
		out["module"], out["deprecated"] = f.Module.Mod.Path, f.Module.Deprecated
	}
	if f.Go != nil {
		out["go"] = f.Go.Version
	}
	if f.Toolchain != nil {
		out["toolchain"] = f.Toolchain.Name
	}
	requires, excludes, replaces, retracts := [][]any{}, [][]any{}, [][]any{}, [][]any{}
	for _, r := range f.Require {
		requires = append(requires, []any{r.Mod.Path, r.Mod.Version, r.Indirect})
	}
	for _, x := range f.Exclude {
		excludes = append(excludes, []any{x.Mod.Path, x.Mod.Version})
	}
	for _, r := range f.Replace {
		replaces = append(replaces, []any{r.Old.Path, r.Old.Version, r.New.Path, r.New.Version})
	}
	for _, r := range f.Retract {
		retracts = append(retracts, []any{r.Low, r.High, r.Rationale})
	}
	out["requires"], out["excludes"], out["replaces"], out["retracts"] = requires, excludes, replaces, retracts
	return out
}

func mod(q question) map[string]any {
	sum, _ := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(q.Body)), nil
	})
	return map[string]any{
		"path":   modfile.ModulePath(q.Body),
		"lax":    file(modfile.ParseLax("go.mod", q.Body, nil)),
		"strict": file(modfile.Parse("go.mod", q.Body, nil)),
		"sum":    sum,
	}
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]map[string]any, 0, len(questions))
	for _, q := range questions {
		switch q.Kind {
		case "version":
			answers = append(answers, version(q))
		case "path":
			answers = append(answers, path(q))
		default:
			answers = append(answers, mod(q))
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
