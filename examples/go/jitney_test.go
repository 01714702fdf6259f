package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

const start = "npx jitney --memory --port 0 --http-port off --namespaces auto --config ../Config.json"

var jitney string // the connection string

func TestMain(m *testing.M) {
	words := strings.Fields(start)
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
	banner, _ := process.StdoutPipe()
	if err := process.Start(); err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(banner); jitney == "" && lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "Connection "); found {
			jitney = strings.TrimSpace(value)
		}
	}
	if jitney == "" {
		log.Fatal("Jitney has not started: the reason is above")
	}
	code := m.Run()
	if process.Process.Signal(syscall.SIGTERM) != nil {
		process.Process.Kill() // Windows knows no signals.
	}
	process.Wait()
	os.Exit(code)
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
