package main

import (
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

var topicScenarios = map[string]scenario{
	"topic-rules": topicRules,
	"forwarding":  forwarding,
}

func topicRules() string {
	connection := connect()
	defer connection.close()
	for _, subscription := range []string{"all", "red"} {
		connection.take(value(connection.client.NewReceiverForSubscription("events", subscription, &azservicebus.ReceiverOptions{
			ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete,
		})))
	}
	session := newID("ordered")
	for _, subject := range []string{"red", "blue"} {
		connection.send("events", &azservicebus.Message{
			Body: []byte(subject), Subject: to.Ptr(subject), SessionID: to.Ptr(session),
		})
	}
	for subscription, expected := range map[string][]string{"all": {"red", "blue"}, "red": {"red"}} {
		receiver := value(connection.client.NewReceiverForSubscription("events", subscription, nil))
		received := receive(receiver, len(expected))
		expect(subscription, texts(received), expected)
		complete(receiver, received...)
		expectEmpty(receiver)
	}
	ordered := value(connection.client.AcceptSessionForSubscription(background, "events", "ordered", session, nil))
	received := receive(ordered, 2)
	expect("ordered", texts(received), []string{"red", "blue"})
	complete(ordered, received...)
	return ""
}

func forwarding() string {
	connection := connect()
	defer connection.close()
	connection.drain("archive")
	connection.send("inbox", &azservicebus.Message{Body: []byte("passes on"), MessageID: to.Ptr("forwarded")})
	receiver := connection.receiver("archive")
	received := receive(receiver, 1)
	expect("body", text(received[0]), "passes on")
	expect("message id", received[0].MessageID, "forwarded")
	complete(receiver, received...)
	return ""
}
