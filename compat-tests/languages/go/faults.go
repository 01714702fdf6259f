package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
	"github.com/Azure/go-amqp"
)

var faultScenarios = map[string]scenario{"faults": faults}

type faultCase struct {
	ID        string         `json:"id"`
	Operation string         `json:"operation"`
	Fault     map[string]any `json:"fault"`
}

type faultRow struct {
	Outcome  string `json:"outcome"`
	Attempts int    `json:"attempts"`
}

// control calls the emulator's interface for people and tools.
func control(name string, body any, answer any) {
	address := fmt.Sprintf("http://%s:%s/$jitney/v1/%s", os.Getenv("HOST"), os.Getenv("PORT"), name)
	var response *http.Response
	if body == nil {
		response = value(http.Get(address))
	} else {
		response = value(http.Post(address, "application/json", bytes.NewReader(value(json.Marshal(body)))))
	}
	defer response.Body.Close()
	must(json.NewDecoder(response.Body).Decode(answer))
}

func faults() string {
	folder := os.Getenv("FAULTS")
	var cases []faultCase
	must(json.Unmarshal(value(os.ReadFile(filepath.Join(folder, "cases.json"))), &cases))
	seen := allRows(cases)
	if file := os.Getenv("FAULTS_SEEN"); file != "" {
		must(os.WriteFile(file, value(json.Marshal(seen)), 0o600))
		return ""
	}
	var expected map[string]map[string]faultRow
	must(json.Unmarshal(value(os.ReadFile(filepath.Join(folder, "expected.json"))), &expected))
	wrong := []string{}
	for id, row := range seen {
		if expected["go"][id] != row {
			wrong = append(wrong, fmt.Sprintf("%s: expected %v, saw %v", id, expected["go"][id], row))
		}
	}
	if len(wrong) > 0 {
		panic(strings.Join(wrong, "; "))
	}
	return ""
}

// allRows tries four at a time, each with a queue of its own.
func allRows(cases []faultCase) map[string]faultRow {
	waiting := make(chan faultCase, len(cases))
	for _, one := range cases {
		waiting <- one
	}
	close(waiting)
	seen := map[string]faultRow{}
	var guard sync.Mutex
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for one := range waiting {
				row := rowOf(one)
				guard.Lock()
				seen[one.ID] = row
				guard.Unlock()
			}
		})
	}
	workers.Wait()
	return seen
}

func rowOf(one faultCase) faultRow {
	queue := newID("faults")
	isSession := one.Operation == "session-state"
	value(administer().CreateQueue(background, queue, &admin.CreateQueueOptions{
		Properties: &admin.QueueProperties{RequiresSession: &isSession},
	}))
	fault := maps.Clone(one.Fault)
	fault["entity"] = queue
	var ignored any
	var added struct{ ID int }
	control("faults", fault, &added)
	options := &azservicebus.ClientOptions{RetryOptions: azservicebus.RetryOptions{
		MaxRetries: 2, RetryDelay: time.Millisecond, MaxRetryDelay: 5 * time.Millisecond,
	}}
	connection := connectTo(os.Getenv("CONNECTION_STRING"), options)
	defer connection.close()
	limited, cancel := context.WithTimeout(background, 2*time.Second)
	defer cancel()
	err := faultyOperation(limited, one.Operation, connection, queue)
	var listed struct{ Faults []struct{ ID, MatchedCount int } }
	control("faults", nil, &listed)
	control("faults:remove", map[string]any{"id": added.ID}, &ignored)
	for _, fault := range listed.Faults {
		if fault.ID == added.ID {
			return faultRow{outcomeOf(err), fault.MatchedCount}
		}
	}
	panic("the fault is gone")
}

func faultyOperation(limited context.Context, operation string, c connection, queue string) error {
	switch operation {
	case "send":
		return sendOne(limited, c, queue)
	case "receive", "complete", "renew-lock":
		if err := sendOne(limited, c, queue); err != nil {
			return err
		}
		receiver := value(c.client.NewReceiverForQueue(queue, nil))
		messages, err := receiver.ReceiveMessages(limited, 1, nil)
		if err != nil || operation == "receive" {
			return err
		}
		if operation == "complete" {
			return receiver.CompleteMessage(limited, messages[0], nil)
		}
		return receiver.RenewMessageLock(limited, messages[0], nil)
	case "peek":
		_, err := value(c.client.NewReceiverForQueue(queue, nil)).PeekMessages(limited, 1, nil)
		return err
	case "schedule":
		sender := value(c.client.NewSender(queue, nil))
		messages := []*azservicebus.Message{{Body: []byte("x")}}
		_, err := sender.ScheduleMessages(limited, messages, time.Now().Add(time.Hour), nil)
		return err
	case "session-state":
		receiver, err := c.client.AcceptSessionForQueue(limited, queue, "a", nil)
		if err != nil {
			return err
		}
		_, err = receiver.GetSessionState(limited, nil)
		return err
	case "administration":
		options := adminOptions("")
		options.Retry = policy.RetryOptions{MaxRetries: 2, RetryDelay: time.Millisecond, MaxRetryDelay: 5 * time.Second}
		_, err := value(admin.NewClientFromConnectionString(os.Getenv("TLS_CONNECTION_STRING"), options)).
			GetQueue(context.WithoutCancel(limited), queue, nil)
		return err
	}
	panic("there is no operation " + operation)
}

func sendOne(limited context.Context, c connection, queue string) error {
	return value(c.client.NewSender(queue, nil)).SendMessage(limited, &azservicebus.Message{Body: []byte("x")}, nil)
}

// outcomeOf names an error by the library's own code, or by its type.
func outcomeOf(err error) string {
	var own *azservicebus.Error
	var response *azcore.ResponseError
	var condition *amqp.Error
	switch {
	case err == nil:
		return "succeeds"
	case errors.As(err, &own):
		return "Error " + string(own.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return "DeadlineExceeded"
	case errors.As(err, &response):
		return fmt.Sprintf("ResponseError %d", response.StatusCode)
	case errors.As(err, &condition):
		return "amqp.Error " + string(condition.Condition)
	}
	return fmt.Sprintf("%T", err)
}
