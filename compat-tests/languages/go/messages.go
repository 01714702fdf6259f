package main

import (
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/go-amqp"
)

var messageScenarios = map[string]scenario{
	"send-receive":       sendReceive,
	"batch":              batch,
	"receive-and-delete": receiveAndDelete,
	"peek":               peek,
	"schedule-cancel":    scheduleCancel,
	"scheduled-arrives":  scheduledArrives,
	"duplicate":          duplicate,
	"time-to-live":       timeToLive,
	"send-back":          sendBack,
}

const plain = "plain"

func sendReceive() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	now := time.UnixMilli(time.Now().UnixMilli())
	properties := map[string]any{
		"text": "grün", "yes": true, "no": false, "uuid": amqp.UUID{1, 2, 3}, "time": now, "null": nil,
		"int8": int8(-8), "int16": int16(-16), "int32": int32(-32), "int64": int64(1) << 40,
		"uint8": uint8(8), "uint16": uint16(16), "uint32": uint32(32), "uint64": uint64(1) << 63,
		"float32": float32(1.5), "float64": 2.5,
	}
	sent := &azservicebus.Message{
		Body:                  []byte("\x00hello\xff"),
		ApplicationProperties: properties,
		MessageID:             to.Ptr(newID("content")),
		ContentType:           to.Ptr("application/octet-stream"),
		CorrelationID:         to.Ptr("correlated"),
		Subject:               to.Ptr("greeting"),
		To:                    to.Ptr("someone"),
		ReplyTo:               to.Ptr("answers"),
		ReplyToSessionID:      to.Ptr("back"),
		SessionID:             to.Ptr("s1"),
		PartitionKey:          to.Ptr("s1"),
		TimeToLive:            to.Ptr(2 * time.Hour),
	}
	connection.send(plain, sent)
	receiver := connection.receiver(plain)
	received := receive(receiver, 1)[0]
	complete(receiver, received)
	// The library makes of it the message that it would send again, with a time only for what was scheduled.
	expect("message", received.Message(), sent)
	expect("delivery count", received.DeliveryCount, uint32(1))
	expect("state", received.State, azservicebus.MessageStateActive)
	expect("no lock token", received.LockToken == [16]byte{}, false)
	expect("expires", received.ExpiresAt.Sub(*received.EnqueuedTime), 2*time.Hour)
	annotatedBodies(connection, receiver)
	return ""
}

// annotatedBodies sends other kinds of body, with every section that a sender may write.
func annotatedBodies(connection connection, receiver *azservicebus.Receiver) {
	sender := connection.sender(plain)
	for _, body := range []azservicebus.AMQPAnnotatedMessageBody{
		{Value: map[string]any{"key": []any{int64(1), "two"}}},
		{Sequence: [][]any{{int64(1), int64(2)}, {"three"}}},
		{Data: [][]byte{[]byte("one"), []byte("two")}},
	} {
		must(sender.SendAMQPAnnotatedMessage(background, &azservicebus.AMQPAnnotatedMessage{
			Body:                body,
			MessageAnnotations:  map[any]any{"x-own": "annotated"},
			DeliveryAnnotations: map[any]any{"x-way": "delivered"},
			Footer:              map[any]any{"x-foot": "last"},
			Properties:          &azservicebus.AMQPAnnotatedMessageProperties{MessageID: uint64(7)},
		}, nil))
		received := receive(receiver, 1)[0]
		complete(receiver, received)
		raw := received.RawAMQPMessage
		expect("body", fmt.Sprint(raw.Body), fmt.Sprint(body))
		expect("annotation", raw.MessageAnnotations["x-own"], "annotated")
		expect("delivery annotation", raw.DeliveryAnnotations["x-way"], "delivered")
		expect("footer", raw.Footer["x-foot"], "last")
		expect("message id", raw.Properties.MessageID, uint64(7))
	}
}

func batch() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	sender := connection.sender(plain)
	built := value(sender.NewMessageBatch(background, nil))
	expected := []string{}
	for index := range 20 {
		body := fmt.Sprintf("message %d", index)
		expected = append(expected, body)
		must(built.AddMessage(&azservicebus.Message{Body: []byte(body)}, nil))
	}
	must(sender.SendMessageBatch(background, built, nil))
	receiver := connection.receiver(plain)
	received := receive(receiver, 20)
	expect("bodies in order", texts(received), expected)
	complete(receiver, received...)
	return ""
}

func receiveAndDelete() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "one", "two")
	receiver := value(connection.client.NewReceiverForQueue(plain, &azservicebus.ReceiverOptions{
		ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete,
	}))
	received := receive(receiver, 2)
	expect("bodies", texts(received), []string{"one", "two"})
	expect("lock token", received[0].LockToken, [16]byte{})
	must(receiver.Close(background))
	expectEmpty(connection.receiver(plain))
	return ""
}

func peek() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "one", "two", "three")
	receiver := connection.receiver(plain)
	expect("peeked", texts(value(receiver.PeekMessages(background, 2, nil))), []string{"one", "two"})
	expect("peeked further", texts(value(receiver.PeekMessages(background, 5, nil))), []string{"three"})
	again := value(receiver.PeekMessages(background, 1, &azservicebus.PeekMessagesOptions{FromSequenceNumber: to.Ptr(int64(0))}))
	expect("peeked from a number on", texts(again), []string{"one"})
	expect("state", again[0].State, azservicebus.MessageStateActive)
	received := receive(receiver, 3)
	expect("delivery count", received[0].DeliveryCount, uint32(1))
	complete(receiver, received...)
	return ""
}

func scheduleCancel() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	sender := connection.sender(plain)
	receiver := connection.receiver(plain)
	messages := []*azservicebus.Message{{Body: []byte("stays")}, {Body: []byte("goes")}}
	numbers := value(sender.ScheduleMessages(background, messages, time.Now().Add(2*time.Second), nil))
	peeked := value(receiver.PeekMessages(background, 2, nil))
	expect("scheduled", texts(peeked), []string{"stays", "goes"})
	expect("numbers", []int64{*peeked[0].SequenceNumber, *peeked[1].SequenceNumber}, numbers)
	expect("state", peeked[0].State, azservicebus.MessageStateScheduled)
	must(sender.CancelScheduledMessages(background, numbers[1:], nil))
	received := receive(receiver, 1)
	expect("body", text(received[0]), "stays")
	complete(receiver, received...)
	expectEmpty(receiver)
	return ""
}

func scheduledArrives() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	due := time.UnixMilli(time.Now().Add(2 * time.Second).UnixMilli())
	connection.send(plain, &azservicebus.Message{Body: []byte("later"), ScheduledEnqueueTime: &due})
	receiver := connection.receiver(plain)
	expectEmpty(receiver)
	received := receive(receiver, 1)
	complete(receiver, received...)
	expect("scheduled for", *received[0].ScheduledEnqueueTime, due)
	expect("early", received[0].EnqueuedTime.Before(due), false)
	expect("state", received[0].State, azservicebus.MessageStateScheduled)
	return ""
}

func duplicate() string {
	connection := connect()
	defer connection.close()
	connection.drain("duplicates")
	id := to.Ptr(newID("twice"))
	for _, body := range []string{"first", "second"} {
		connection.send("duplicates", &azservicebus.Message{Body: []byte(body), MessageID: id})
	}
	receiver := connection.receiver("duplicates")
	received := receive(receiver, 1)
	expect("body", text(received[0]), "first")
	complete(receiver, received...)
	connection.send("duplicates", &azservicebus.Message{Body: []byte("third"), MessageID: id})
	expectEmpty(receiver)
	return ""
}

func timeToLive() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.send(plain,
		&azservicebus.Message{Body: []byte("gone"), TimeToLive: to.Ptr(time.Second)},
		&azservicebus.Message{Body: []byte("stays"), TimeToLive: to.Ptr(time.Hour)})
	time.Sleep(1500 * time.Millisecond)
	receiver := connection.receiver(plain)
	received := receive(receiver, 1)
	expect("body", text(received[0]), "stays")
	complete(receiver, received...)
	expectEmpty(receiver)
	dead := value(connection.deadLetters(plain).PeekMessages(background, 10, nil))
	expect("dead letters", texts(dead), []string{})
	return ""
}

func sendBack() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	sender := connection.sender(plain)
	receiver := connection.receiver(plain)
	must(sender.SendMessage(background, &azservicebus.Message{
		Body: []byte("again"), PartitionKey: to.Ptr("p1"), ApplicationProperties: map[string]any{"round": int64(1)},
	}, nil))
	first := receive(receiver, 1)[0]
	must(sender.SendMessage(background, first.Message(), nil))
	complete(receiver, first)
	second := receive(receiver, 1)[0]
	// With all annotations, those of the broker too.
	must(sender.SendAMQPAnnotatedMessage(background, second.RawAMQPMessage, nil))
	complete(receiver, second)
	third := receive(receiver, 1)[0]
	for _, message := range []*azservicebus.ReceivedMessage{second, third} {
		expect("body", text(message), "again")
		expect("partition key", *message.PartitionKey, "p1")
		expect("application properties", message.ApplicationProperties, map[string]any{"round": int64(1)})
		expect("same number", *message.SequenceNumber == *first.SequenceNumber, false)
		expect("same lock", message.LockToken == first.LockToken, false)
	}
	expect("same lock again", third.LockToken == second.LockToken, false)
	complete(receiver, third)
	return ""
}
