// Runs the scenarios named as arguments with azservicebus, and prints one line of JSON for each.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
)

// A scenario panics where something is not as it must be, and may give back a detail.
type scenario func() string

type answer struct {
	Scenario string `json:"scenario"`
	OK       bool   `json:"ok"`
	Detail   string `json:"detail,omitempty"`
}

func main() {
	scenarios := map[string]scenario{}
	for _, some := range []map[string]scenario{
		messageScenarios, settlementScenarios, sessionScenarios, topicScenarios,
		administrationScenarios, createdScenarios, accessScenarios, faultScenarios, restartScenarios, tourScenarios,
	} {
		maps.Copy(scenarios, some)
	}
	for _, id := range os.Args[1:] {
		line, err := json.Marshal(try(id, scenarios[id]))
		must(err)
		fmt.Println(string(line))
	}
}

func try(id string, run scenario) (result answer) {
	if run == nil {
		return answer{Scenario: id, Detail: "the program does not know this scenario"}
	}
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", id, problem, debug.Stack())
			result = answer{Scenario: id, Detail: fmt.Sprint(problem)}
		}
	}()
	return answer{Scenario: id, OK: true, Detail: run()}
}
