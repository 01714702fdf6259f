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

var jitney string // the connection string

// TestMain starts a Jitney that ends with this process, even if a test panics or takes too long.
func TestMain(m *testing.M) {
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

// connect returns a client whose namespace no other test uses: queues, clock and faults are its own.
func connect(t *testing.T) *azservicebus.Client {
	policy := fmt.Sprintf("RootManageSharedAccessKey@%d", time.Now().UnixNano())
	client, err := azservicebus.NewClientFromConnectionString(strings.Replace(jitney, "RootManageSharedAccessKey", policy, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}
