package main

import (
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

// tourScenarios has no behaviour of its own: it does each thing once, on entities that are empty, for npm run measure -- record.
var tourScenarios = map[string]scenario{"tour": tour}

func tour() string {
	connection := connect()
	defer connection.close()
	sender := connection.sender(plain)
	receiver := connection.receiver(plain)
	tourOfMessages(sender, receiver)
	tourOfSettlement(connection, sender, receiver)
	tourOfManagement(sender, receiver)
	tourOfSessions(connection)
	connection.send("events", &azservicebus.Message{Body: []byte("event"), Subject: to.Ptr("red"), SessionID: to.Ptr("s")})
	subscription := value(connection.client.NewReceiverForSubscription("events", "red", nil))
	complete(subscription, receive(subscription, 1)...)
	return ""
}

func tourOfMessages(sender *azservicebus.Sender, receiver *azservicebus.Receiver) {
	must(sender.SendMessage(background, &azservicebus.Message{
		Body:        []byte("hello"),
		MessageID:   to.Ptr("first"),
		Subject:     to.Ptr("greeting"),
		ContentType: to.Ptr("text/plain"),
		TimeToLive:  to.Ptr(time.Hour),
		ApplicationProperties: map[string]any{
			"text": "grün", "whole": int64(7), "half": 1.5, "yes": true, "when": time.Unix(0, 0),
		},
	}, nil))
	batch := value(sender.NewMessageBatch(background, nil))
	for _, id := range []string{"second", "third"} {
		must(batch.AddMessage(&azservicebus.Message{Body: []byte("batched"), MessageID: to.Ptr(id)}, nil))
	}
	must(sender.SendMessageBatch(background, batch, nil))
	expect("peeked", len(value(receiver.PeekMessages(background, 5, nil))), 3)
	complete(receiver, receive(receiver, 3)...)
	expectEmpty(receiver)
}

func tourOfSettlement(connection connection, sender *azservicebus.Sender, receiver *azservicebus.Receiver) {
	must(sender.SendMessage(background, &azservicebus.Message{Body: []byte("work")}, nil))
	must(receiver.AbandonMessage(background, receive(receiver, 1)[0], &azservicebus.AbandonMessageOptions{
		PropertiesToModify: map[string]any{"attempt": int64(1)},
	}))
	must(receiver.DeadLetterMessage(background, receive(receiver, 1)[0], &azservicebus.DeadLetterOptions{
		Reason: to.Ptr("broken"), ErrorDescription: to.Ptr("it does not work"),
	}))
	dead := connection.deadLetters(plain)
	complete(dead, receive(dead, 1)...)
}

func tourOfManagement(sender *azservicebus.Sender, receiver *azservicebus.Receiver) {
	must(sender.SendMessage(background, &azservicebus.Message{Body: []byte("later")}, nil))
	message := receive(receiver, 1)[0]
	must(receiver.RenewMessageLock(background, message, nil))
	must(receiver.DeferMessage(background, message, nil))
	numbers := []int64{*message.SequenceNumber}
	complete(receiver, value(receiver.ReceiveDeferredMessages(background, numbers, nil))...)
	scheduled := []*azservicebus.Message{{Body: []byte("tomorrow")}}
	numbers = value(sender.ScheduleMessages(background, scheduled, time.Now().Add(24*time.Hour), nil))
	must(sender.CancelScheduledMessages(background, numbers, nil))
}

func tourOfSessions(connection connection) {
	connection.sendInSession("customer", "in order")
	receiver := connection.accept("customer")
	must(receiver.SetSessionState(background, []byte("half done"), nil))
	value(receiver.GetSessionState(background, nil))
	must(receiver.RenewSessionLock(background, nil))
	complete(receiver, receive(receiver, 1)...)
	must(receiver.Close(background))
	connection.sendInSession("another", "next")
	next := value(connection.acceptNext(waitTime))
	complete(next, receive(next, 1)...)
}
