package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

const start = "npx jitney --memory --port 0 --http-port off --until-stdin-ends --namespaces auto --config ../Config.json"

// jitney is the connection string of the Jitney of `jitney exec`, or of the one that TestMain starts.
var jitney = os.Getenv("SERVICEBUS_CONNECTION_STRING")

// TestMain starts a Jitney if there is none. It ends with this process, even if a test panics or takes too long.
func TestMain(m *testing.M) {
	if strings.Contains(jitney, "UseDevelopmentEmulator=true") { // a namespace of Azure is left alone
		m.Run()
		return
	}
	words := strings.Fields(start)
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
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
		log.Fatal("Jitney has not started: the reason is above")
	}
	m.Run()
	stdin.Close()
	process.Wait()
}

// connectionString returns that of a namespace that no other test uses: queues, clock and faults are its own.
func connectionString() string {
	policy := fmt.Sprintf("RootManageSharedAccessKey@%d", time.Now().UnixNano())
	return strings.Replace(jitney, "RootManageSharedAccessKey", policy, 1)
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
