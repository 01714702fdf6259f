package main

import (
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

var restartScenarios = map[string]scenario{
	"restart-before": restartBefore,
	"restart-after":  restartAfter,
}

const restartSession = "over the restart"

// restartBefore leaves what a broker that is killed must still have.
func restartBefore() string {
	connection := connect()
	defer connection.close()
	connection.drain(forever)
	connection.sendTexts(forever, "deferred", "completed")
	receiver := connection.receiver(forever)
	received := receive(receiver, 2)
	must(receiver.DeferMessage(background, received[0], nil))
	complete(receiver, received[1])
	connection.send(forever, &azservicebus.Message{
		Body: []byte("active"), ApplicationProperties: map[string]any{"kept": int64(1)},
	})
	later := []*azservicebus.Message{{Body: []byte("scheduled")}}
	value(connection.sender(forever).ScheduleMessages(background, later, time.Now().Add(time.Hour), nil))
	connection.sendInSession(restartSession, "in a session")
	session := connection.accept(restartSession)
	must(session.SetSessionState(background, []byte("remembered"), nil))
	must(session.Close(background))
	return ""
}

func restartAfter() string {
	connection := connect()
	defer connection.close()
	receiver := connection.receiver(forever)
	states := map[string]azservicebus.MessageState{}
	numbers := map[string][]int64{}
	for _, message := range value(receiver.PeekMessages(background, 10, nil)) {
		states[text(message)] = message.State
		numbers[text(message)] = []int64{*message.SequenceNumber}
	}
	expect("messages", states, map[string]azservicebus.MessageState{
		"active":    azservicebus.MessageStateActive,
		"deferred":  azservicebus.MessageStateDeferred,
		"scheduled": azservicebus.MessageStateScheduled,
	})
	active := receive(receiver, 1)[0]
	expect("body", text(active), "active")
	expect("application properties", active.ApplicationProperties, map[string]any{"kept": int64(1)})
	complete(receiver, active)
	complete(receiver, value(receiver.ReceiveDeferredMessages(background, numbers["deferred"], nil))...)
	must(connection.sender(forever).CancelScheduledMessages(background, numbers["scheduled"], nil))
	expectEmpty(receiver)
	session := connection.accept(restartSession)
	expect("session state", value(session.GetSessionState(background, nil)), []byte("remembered"))
	received := receive(session, 1)
	expect("body in the session", text(received[0]), "in a session")
	complete(session, received...)
	return ""
}
