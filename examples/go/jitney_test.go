package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

const start = "npx jitney --memory --port 0 --http-port off --until-stdin-ends --namespaces auto --log-level debug --config"

// jitney is the connection string of the Jitney of `jitney exec`, or of the one that TestMain starts.
var jitney = os.Getenv("SERVICEBUS_CONNECTION_STRING")

// failed has the namespaces of the tests that have failed.
var failed sync.Map

// TestMain starts a Jitney if there is none, and prints what it has logged about tests that have failed. It ends with
// this process, even if a test panics or takes too long.
func TestMain(m *testing.M) {
	if strings.Contains(jitney, "UseDevelopmentEmulator=true") { // a namespace of Azure is left alone
		m.Run()
		return
	}
	config := "Config.json" // beside this file, or else one folder above
	if _, err := os.Stat(config); err != nil {
		config = "../Config.json"
	}
	words := append(strings.Fields(start), config)
	process := exec.Command(words[0], words[1:]...)
	var output bytes.Buffer
	process.Stderr = &output
	stdin, _ := process.StdinPipe()
	stdout, _ := process.StdoutPipe()
	if err := process.Start(); err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); jitney == "" && lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "Connection "); found {
			jitney = strings.TrimSpace(value)
		}
	}
	if jitney == "" {
		process.Wait()
		log.Fatalf("Jitney has not started: %s", output.String())
	}
	m.Run()
	stdin.Close()
	process.Wait()
	for line := range strings.Lines(output.String()) {
		namespace, _, _ := strings.Cut(line, " ")
		if _, isFailed := failed.Load(namespace); isFailed {
			fmt.Fprint(os.Stderr, line)
		}
	}
}

// connectionString returns that of a namespace that no other test uses: queues, clock and faults are its own.
func connectionString(t *testing.T) string {
	namespace := fmt.Sprint(time.Now().UnixNano())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("namespace %s", namespace)
			failed.Store("["+namespace+"]", true)
		}
	})
	return strings.Replace(jitney, "RootManageSharedAccessKey", "RootManageSharedAccessKey@"+namespace, 1)
}

// connect returns a client in the namespace of a connection string.
func connect(t *testing.T, connectionString string) *azservicebus.Client {
	client, err := azservicebus.NewClientFromConnectionString(connectionString, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}
