package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/go-amqp"
)

var settlementScenarios = map[string]scenario{
	"peek-lock-complete":        peekLockComplete,
	"abandon-count":             abandonCount,
	"lock-expiry":               lockExpiry,
	"renew-lock":                renewLock,
	"dead-letter":               deadLetter,
	"max-delivery":              maxDelivery,
	"defer":                     deferMessage,
	"settle-through-management": settleThroughManagement,
	"errors":                    libraryErrors,
}

func peekLockComplete() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "work")
	receiver := connection.receiver(plain)
	received := receive(receiver, 1)
	expectEmpty(connection.receiver(plain))
	complete(receiver, received...)
	expectEmpty(receiver)
	return ""
}

func abandonCount() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "again")
	receiver := connection.receiver(plain)
	received := receive(receiver, 1)[0]
	expect("first delivery count", received.DeliveryCount, uint32(1))
	must(receiver.AbandonMessage(background, received, &azservicebus.AbandonMessageOptions{
		PropertiesToModify: map[string]any{"tried": true},
	}))
	received = receive(receiver, 1)[0]
	expect("second delivery count", received.DeliveryCount, uint32(2))
	expect("changed property", received.ApplicationProperties["tried"], true)
	complete(receiver, received)
	return ""
}

func lockExpiry() string {
	connection := connect()
	defer connection.close()
	connection.drain("short")
	connection.sendTexts("short", "slow")
	receiver := connection.receiver("short")
	received := receive(receiver, 1)[0]
	time.Sleep(2300 * time.Millisecond)
	expectCode("complete", azservicebus.CodeLockLost, receiver.CompleteMessage(background, received, nil))
	again := receive(receiver, 1)[0]
	expect("delivery count", again.DeliveryCount, uint32(2))
	complete(receiver, again)
	return ""
}

func renewLock() string {
	connection := connect()
	defer connection.close()
	connection.drain("short")
	connection.sendTexts("short", "slow")
	receiver := connection.receiver("short")
	received := receive(receiver, 1)[0]
	first := *received.LockedUntil
	for range 2 {
		time.Sleep(1200 * time.Millisecond)
		must(receiver.RenewMessageLock(background, received, nil))
	}
	expect("lock is longer", received.LockedUntil.After(first), true)
	complete(receiver, received)
	expectEmpty(receiver)
	return ""
}

func deadLetter() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "bad")
	receiver := connection.receiver(plain)
	must(receiver.DeadLetterMessage(background, receive(receiver, 1)[0], &azservicebus.DeadLetterOptions{
		Reason:             to.Ptr("broken"),
		ErrorDescription:   to.Ptr("it does not work"),
		PropertiesToModify: map[string]any{"seen": int64(1)},
	}))
	dead := connection.deadLetters(plain)
	received := receive(dead, 1)[0]
	expect("reason", *received.DeadLetterReason, "broken")
	expect("description", *received.DeadLetterErrorDescription, "it does not work")
	expect("property", received.ApplicationProperties["seen"], int64(1))
	complete(dead, received)
	expectEmpty(dead)
	return ""
}

func maxDelivery() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "poison")
	receiver := connection.receiver(plain)
	for range 3 {
		must(receiver.AbandonMessage(background, receive(receiver, 1)[0], nil))
	}
	expectEmpty(receiver)
	dead := connection.deadLetters(plain)
	received := receive(dead, 1)[0]
	expect("body", text(received), "poison")
	expect("reason", *received.DeadLetterReason, "MaxDeliveryCountExceeded")
	complete(dead, received)
	return ""
}

func deferMessage() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "later")
	receiver := connection.receiver(plain)
	received := receive(receiver, 1)[0]
	must(receiver.DeferMessage(background, received, nil))
	expectEmpty(receiver)
	peeked := value(receiver.PeekMessages(background, 1, nil))
	expect("state", peeked[0].State, azservicebus.MessageStateDeferred)
	numbers := []int64{*received.SequenceNumber}
	deferred := value(receiver.ReceiveDeferredMessages(background, numbers, nil))
	expect("bodies", texts(deferred), []string{"later"})
	expect("state when received", deferred[0].State, azservicebus.MessageStateDeferred)
	complete(receiver, deferred...)
	quickly(func() {
		if _, err := receiver.ReceiveDeferredMessages(background, numbers, nil); err == nil {
			panic("a completed message was received once more")
		}
	})
	return ""
}

// settleThroughManagement settles with nothing but the lock token, as for a message whose receiver is gone.
func settleThroughManagement() string {
	connection := connect()
	defer connection.close()
	connection.drain(plain)
	connection.sendTexts(plain, "complete", "dead-letter", "abandon")
	gone := connection.receiver(plain)
	received := receive(gone, 3)
	must(gone.Close(background))
	receiver := connection.receiver(plain)
	token := func(index int) *azservicebus.ReceivedMessage {
		return &azservicebus.ReceivedMessage{LockToken: received[index].LockToken}
	}
	complete(receiver, token(0))
	must(receiver.DeadLetterMessage(background, token(1), &azservicebus.DeadLetterOptions{Reason: to.Ptr("by token")}))
	must(receiver.AbandonMessage(background, token(2), nil))
	again := receive(receiver, 1)[0]
	expect("abandoned", text(again), "abandon")
	complete(receiver, again)
	expectEmpty(receiver)
	dead := connection.deadLetters(plain)
	expect("reason", *receive(dead, 1)[0].DeadLetterReason, "by token")
	expectCode("the same token again", azservicebus.CodeLockLost, receiver.CompleteMessage(background, token(0), nil))
	return ""
}

func libraryErrors() string {
	connection := connect()
	defer connection.close()
	missing := connection.sender("no-such-queue")
	quickly(func() {
		err := missing.SendMessage(background, &azservicebus.Message{}, nil)
		expectCode("send to a missing queue", azservicebus.CodeNotFound, err)
	})
	for what, receiver := range map[string]*azservicebus.Receiver{
		"receive from a missing queue":        connection.receiver("no-such-queue"),
		"receive from a missing subscription": value(connection.client.NewReceiverForSubscription("events", "none", nil)),
	} {
		expectCode(what, azservicebus.CodeNotFound, receiveOnce(receiver))
	}
	err := receiveOnce(connection.receiver("sessions"))
	expectCondition("receive without a session", amqp.ErrCondNotAllowed, err)
	_, err = connection.client.AcceptSessionForQueue(background, plain, "s1", nil)
	expectCondition("accept where there are no sessions", amqp.ErrCondNotAllowed, err)

	sender := connection.sender(plain)
	large := &azservicebus.Message{Body: make([]byte, 300*1024)}
	expectTooLarge(sender.SendMessage(background, large, nil))
	expectTooLarge(value(sender.NewMessageBatch(background, nil)).AddMessage(large, nil))
	return ""
}

func expectTooLarge(err error) {
	if !errors.Is(err, azservicebus.ErrMessageTooLarge) {
		panic(fmt.Sprintf("expected ErrMessageTooLarge, saw %v", err))
	}
}

func receiveOnce(receiver *azservicebus.Receiver) error {
	ctx, cancel := context.WithTimeout(background, waitTime)
	defer cancel()
	_, err := receiver.ReceiveMessages(ctx, 1, nil)
	return err
}
