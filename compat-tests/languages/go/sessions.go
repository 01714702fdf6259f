package main

import (
	"context"
	"errors"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/go-amqp"
)

var sessionScenarios = map[string]scenario{
	"session-accept":     sessionAccept,
	"session-state":      sessionState,
	"session-lock-renew": sessionLockRenew,
}

func (c connection) accept(id string) *azservicebus.SessionReceiver {
	return value(c.client.AcceptSessionForQueue(background, "sessions", id, nil))
}

func (c connection) acceptNext(wait time.Duration) (*azservicebus.SessionReceiver, error) {
	ctx, cancel := context.WithTimeout(background, wait)
	defer cancel()
	return c.client.AcceptNextSessionForQueue(ctx, "sessions", nil)
}

func (c connection) sendInSession(id string, bodies ...string) {
	for _, body := range bodies {
		c.send("sessions", &azservicebus.Message{Body: []byte(body), SessionID: to.Ptr(id)})
	}
}

// clearSessions takes what other scenarios left, so that the next session is one's own.
func (c connection) clearSessions() {
	for {
		receiver, err := c.acceptNext(waitTime / 5)
		if err != nil {
			return
		}
		complete(receiver, receive(receiver, 1)...)
		must(receiver.Close(background))
	}
}

func sessionAccept() string {
	connection := connect()
	defer connection.close()
	connection.clearSessions()
	mine, other := newID("mine"), newID("other")
	connection.sendInSession(mine, "one", "two")
	connection.sendInSession(other, "three")
	receiver := connection.accept(mine)
	expect("session", receiver.SessionID(), mine)
	quickly(func() {
		_, err := connection.client.AcceptSessionForQueue(background, "sessions", mine, nil)
		expectCondition("accept what is held", amqp.ErrCond("com.microsoft:session-cannot-be-locked"), err)
	})
	received := receive(receiver, 2)
	expect("bodies", texts(received), []string{"one", "two"})
	next := value(connection.acceptNext(waitTime))
	expect("next session", next.SessionID(), other)
	complete(next, receive(next, 1)...)
	complete(receiver, received...)
	_, err := connection.acceptNext(waitTime / 5)
	// The library's own wait ends about when the service says that there is none.
	var failure *azservicebus.Error
	isTimeout := errors.As(err, &failure) && failure.Code == azservicebus.CodeTimeout
	expect("no session in time", isTimeout || errors.Is(err, context.DeadlineExceeded), true)
	return ""
}

func sessionState() string {
	connection := connect()
	defer connection.close()
	id := newID("state")
	receiver := connection.accept(id)
	expect("first state", value(receiver.GetSessionState(background, nil)), []byte(nil))
	must(receiver.SetSessionState(background, []byte("half\x00done"), nil))
	expect("state", value(receiver.GetSessionState(background, nil)), []byte("half\x00done"))
	must(receiver.Close(background))
	receiver = connection.accept(id)
	expect("state of the next receiver", value(receiver.GetSessionState(background, nil)), []byte("half\x00done"))
	must(receiver.SetSessionState(background, nil, nil))
	expect("cleared state", value(receiver.GetSessionState(background, nil)), []byte(nil))
	return ""
}

func sessionLockRenew() string {
	connection := connect()
	defer connection.close()
	id := newID("renew")
	connection.sendInSession(id, "slow")
	receiver := connection.accept(id)
	received := receive(receiver, 1)
	first := receiver.LockedUntil()
	time.Sleep(1100 * time.Millisecond)
	must(receiver.RenewSessionLock(background, nil))
	expect("lock is longer", receiver.LockedUntil().After(first), true)
	complete(receiver, received...)
	return ""
}
