package main

import (
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
)

// Entities that `jitney create` made, and those that an emulator with --auto-create makes.
var createdScenarios = map[string]scenario{
	"created-entities": createdEntities,
	"auto-create":      autoCreate,
}

func createdEntities() string {
	client := administer()
	made := value(client.GetQueue(background, "made", nil))
	expect("lock duration", *made.LockDuration, "PT20S")
	expect("max delivery count", *made.MaxDeliveryCount, int32(2))
	expect("time to live", *made.DefaultMessageTimeToLive, "PT1H")
	expect("sessions", *value(client.GetQueue(background, "made-sessions", nil)).RequiresSession, true)
	expect("rules", listRules(client, "made-events", "red"), []string{"color"})

	connection := connect()
	defer connection.close()
	connection.sendTexts("made", "poison")
	receiver := connection.receiver("made")
	for range 2 {
		must(receiver.AbandonMessage(background, receive(receiver, 1)[0], nil))
	}
	expectEmpty(receiver)
	takeTexts(connection.receiver("made-graves"), "poison")
	session := newID("session")
	connection.send("made-sessions", &azservicebus.Message{Body: []byte("ordered"), SessionID: &session})
	takeTexts(value(connection.client.AcceptSessionForQueue(background, "made-sessions", session, nil)), "ordered")
	for _, color := range []string{"red", "blue"} {
		connection.send("made-events", &azservicebus.Message{
			Body: []byte(color), ApplicationProperties: map[string]any{"color": color},
		})
	}
	takeTexts(value(connection.client.NewReceiverForSubscription("made-events", "red", nil)), "red")
	takeTexts(value(connection.client.NewReceiverForSubscription("made-events", "all", nil)), "red", "blue")
	return ""
}

// takeTexts wants these messages and no others, and completes them.
func takeTexts(receiver messageReceiver, expected ...string) {
	received := receive(receiver, len(expected))
	expect("messages", texts(received), expected)
	complete(receiver, received...)
	expectEmpty(receiver)
}

func creating() (connection, *admin.Client) {
	secure := os.Getenv("AUTO_CREATE_TLS_CONNECTION_STRING")
	options := &azservicebus.ClientOptions{RetryOptions: azservicebus.RetryOptions{MaxRetries: -1}}
	return connectTo(os.Getenv("AUTO_CREATE_CONNECTION_STRING"), options),
		value(admin.NewClientFromConnectionString(secure, adminOptions("AUTO_CREATE_")))
}

func autoCreate() string {
	connection, client := creating()
	defer connection.close()
	queue, topic, asked, peeked := newID("queue"), newID("topic"), newID("asked"), newID("peeked")
	hasQueue := func(name string) bool { return value(client.GetQueue(background, name, nil)) != nil }
	hasTopic := func() bool { return value(client.GetTopic(background, topic, nil)) != nil }
	expect("queue before", hasQueue(queue), false)
	expect("counts before", value(client.GetQueueRuntimeProperties(background, queue, nil)) == nil, true)
	expect("topic before", hasTopic(), false)
	expect("subscription before", value(client.GetSubscription(background, topic, "sub", nil)) == nil, true)
	_, err := client.DeleteQueue(background, queue, nil)
	expectStatus("delete what is missing", http.StatusNotFound, err)

	connection.sendTexts(queue, "first")
	expect("queue after a send", hasQueue(queue), true)
	takeTexts(connection.receiver(queue), "first")
	expectEmpty(connection.receiver(asked))
	expect("queue after a receive", hasQueue(asked), true)
	expectEmpty(value(connection.client.NewReceiverForSubscription(topic, "sub", nil)))
	expect("topic after a receive", hasTopic(), true)
	expect("subscription", value(client.GetSubscription(background, topic, "sub", nil)) != nil, true)
	// The library opens a link that receives, also to peek.
	value(connection.receiver(peeked).PeekMessages(background, 1, nil))
	expect("queue after a peek", hasQueue(peeked), true)
	// The queue is there already, and may have been meant as a topic.
	_, err = value(connection.client.NewReceiverForSubscription(queue, "sub", nil)).ReceiveMessages(background, 1, nil)
	expect("an error", err != nil, true)
	expect("names --topic: "+err.Error(), strings.Contains(err.Error(), "--topic"), true)
	return ""
}
