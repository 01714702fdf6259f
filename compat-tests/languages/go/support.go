package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/go-amqp"
)

const (
	waitTime    = 5 * time.Second
	nothingTime = 700 * time.Millisecond
	quickTime   = 10 * time.Second
)

var background = context.Background()

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func value[T any](result T, err error) T {
	must(err)
	return result
}

func expect(what string, seen, expected any) {
	if !reflect.DeepEqual(seen, expected) {
		panic(fmt.Sprintf("%s: expected %#v, saw %#v", what, expected, seen))
	}
}

// expectCode wants the library's own code.
func expectCode(what string, code azservicebus.Code, err error) {
	var failure *azservicebus.Error
	if !errors.As(err, &failure) || failure.Code != code {
		panic(fmt.Sprintf("%s: expected the code %s, saw %v", what, code, err))
	}
}

// expectCondition wants a condition of AMQP for which the library has no code.
func expectCondition(what string, condition amqp.ErrCond, err error) {
	var failure *amqp.Error
	if !errors.As(err, &failure) || failure.Condition != condition {
		panic(fmt.Sprintf("%s: expected the condition %s, saw %v", what, condition, err))
	}
}

func quickly(act func()) {
	started := time.Now()
	act()
	expect(fmt.Sprintf("within %s", quickTime), time.Since(started) < quickTime, true)
}

func newID(name string) string {
	return name + "-" + rand.Text()
}

func text(message *azservicebus.ReceivedMessage) string {
	return string(message.Body)
}

func texts(messages []*azservicebus.ReceivedMessage) []string {
	found := []string{}
	for _, message := range messages {
		found = append(found, text(message))
	}
	return found
}

// A client and what it has opened, which end together.
type connection struct {
	client *azservicebus.Client
}

func connect() connection {
	return connectTo(os.Getenv("CONNECTION_STRING"), nil)
}

func connectTo(connectionString string, options *azservicebus.ClientOptions) connection {
	return connection{value(azservicebus.NewClientFromConnectionString(connectionString, options))}
}

func (c connection) close() {
	_ = c.client.Close(background)
}

func (c connection) sender(entity string) *azservicebus.Sender {
	return value(c.client.NewSender(entity, nil))
}

func (c connection) receiver(queue string) *azservicebus.Receiver {
	return value(c.client.NewReceiverForQueue(queue, nil))
}

func (c connection) deadLetters(queue string) *azservicebus.Receiver {
	options := &azservicebus.ReceiverOptions{SubQueue: azservicebus.SubQueueDeadLetter}
	return value(c.client.NewReceiverForQueue(queue, options))
}

func (c connection) send(entity string, messages ...*azservicebus.Message) {
	sender := c.sender(entity)
	defer sender.Close(background)
	for _, message := range messages {
		must(sender.SendMessage(background, message, nil))
	}
}

func (c connection) sendTexts(entity string, bodies ...string) {
	for _, body := range bodies {
		c.send(entity, &azservicebus.Message{Body: []byte(body)})
	}
}

type messageReceiver interface {
	ReceiveMessages(context.Context, int, *azservicebus.ReceiveMessagesOptions) ([]*azservicebus.ReceivedMessage, error)
	CompleteMessage(context.Context, *azservicebus.ReceivedMessage, *azservicebus.CompleteMessageOptions) error
}

// receive wants exactly so many messages, however many calls it takes.
func receive(receiver messageReceiver, count int) []*azservicebus.ReceivedMessage {
	ctx, cancel := context.WithTimeout(background, waitTime)
	defer cancel()
	found := []*azservicebus.ReceivedMessage{}
	for len(found) < count {
		more, err := receiver.ReceiveMessages(ctx, count-len(found), nil)
		if err != nil {
			panic(fmt.Sprintf("expected %d messages, saw %d: %v", count, len(found), err))
		}
		found = append(found, more...)
	}
	return found
}

func complete(receiver messageReceiver, messages ...*azservicebus.ReceivedMessage) {
	for _, message := range messages {
		must(receiver.CompleteMessage(background, message, nil))
	}
}

func expectEmpty(receiver messageReceiver) {
	ctx, cancel := context.WithTimeout(background, nothingTime)
	defer cancel()
	left, err := receiver.ReceiveMessages(ctx, 1, nil)
	expect("messages left", texts(left), []string{})
	if !errors.Is(err, context.DeadlineExceeded) {
		panic(err)
	}
}

// drain empties a queue, and takes what is deferred or scheduled, too.
func (c connection) drain(queue string) {
	c.take(value(c.client.NewReceiverForQueue(queue, &azservicebus.ReceiverOptions{
		ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete,
	})))
	c.take(value(c.client.NewReceiverForQueue(queue, &azservicebus.ReceiverOptions{
		ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete,
		SubQueue:    azservicebus.SubQueueDeadLetter,
	})))
	receiver := c.receiver(queue)
	defer receiver.Close(background)
	sender := c.sender(queue)
	defer sender.Close(background)
	for _, message := range value(receiver.PeekMessages(background, 100, nil)) {
		numbers := []int64{*message.SequenceNumber}
		switch message.State {
		case azservicebus.MessageStateScheduled:
			must(sender.CancelScheduledMessages(background, numbers, nil))
		case azservicebus.MessageStateDeferred:
			complete(receiver, value(receiver.ReceiveDeferredMessages(background, numbers, nil))...)
		}
	}
}

func (c connection) take(receiver *azservicebus.Receiver) {
	defer receiver.Close(background)
	for {
		ctx, cancel := context.WithTimeout(background, nothingTime/2)
		_, err := receiver.ReceiveMessages(ctx, 100, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		must(err)
	}
}

// trust takes the certificate authority of the emulator that the variables with this prefix are about.
func trust(prefix string) *tls.Config {
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(value(os.ReadFile(os.Getenv(prefix + "CA_FILE"))))
	return &tls.Config{RootCAs: authorities}
}
